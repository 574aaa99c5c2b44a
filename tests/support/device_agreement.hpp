// Products on a device beside those of the host.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "support/support.hpp"

namespace projfgd::test {

/// All three products, in double precision: the sums differ by their rounding alone, 1e-13 of the
/// largest, and are the same twice.
template <class Host, class Away>
void expect_agreement(const Host& host, const Away& away, Index columns) {
  using S = typename Host::Factor::Scalar;
  const Matrix<S> u = random_factor<S>(host.rows(), columns, 5);
  const Matrix<S> d = random_factor<S>(host.rows(), columns, 6);
  const Vector<double> w = random_vector<double>(host.measurements(), 7);
  const auto what = ::testing::Message() << host.rows() << " rows, " << host.measurements()
                                         << " measurements, " << columns << " columns";
  ASSERT_EQ(host.measurements(), away.measurements());
  Vector<double> y, z, again;
  host.forward(u, y);
  away.forward(u, z);
  away.forward(u, again);
  const double size = 1e-13 * std::max(u.squaredNorm(), y.cwiseAbs().maxCoeff());
  EXPECT_LE((y - z).cwiseAbs().maxCoeff(), size) << what;
  EXPECT_TRUE(z == again) << what;
  host.forward(u, d, y);
  away.forward(u, d, z);
  EXPECT_LE((y - z).cwiseAbs().maxCoeff(), size) << what;
  Matrix<S> g, h;
  host.adjoint_times(w, u, g);
  away.adjoint_times(w, u, h);
  EXPECT_LE((g - h).norm(), 1e-13 * g.norm()) << what;
}

}  // namespace projfgd::test

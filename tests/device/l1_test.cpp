// The projections onto l1 balls on a device beside the host's.
#include "projfgd/constraints/l1.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "projfgd/device/factor.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

template <class S>
class DeviceL1 : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DeviceL1, Scalars);

/// The host lowers by a level that it finds another way, so that rounding is all that may differ:
/// some eps of the largest modulus in each of the entries.
template <class S, class Set>
void expect_same(const Set& set, const Matrix<S>& u, double radius) {
  Matrix<S> host = u;
  set.project(host);
  DeviceFactor<S> away;
  copy_from_host(u, away);
  set.project(away);
  const Matrix<S> found = copy_to_host(away);
  const RealOf<S> rounding = 30 * std::numeric_limits<RealOf<S>>::epsilon();
  EXPECT_LE((host - found).cwiseAbs().maxCoeff(), rounding * u.cwiseAbs().maxCoeff()) << radius;
  const double sum = found.cwiseAbs().template cast<double>().sum();
  EXPECT_LE(sum, radius * (1 + double(rounding)) + std::numeric_limits<double>::min()) << radius;
  set.project(away);  // what is in the set stays
  EXPECT_LE((copy_to_host(away) - found).cwiseAbs().maxCoeff(), rounding * RealOf<S>(radius));
}

TYPED_TEST(DeviceL1, AgreesWithTheHost) {
  using S = TypeParam;
  for (const Index rows : {1, 40, 2000}) {
    const Matrix<S> u = random_factor<S>(rows, 2, static_cast<std::uint64_t>(rows));
    const double whole = u.cwiseAbs().template cast<double>().sum();
    for (const double share : {0.0, 1e-3, 0.1, 0.7, 2.0}) {
      expect_same<S>(L1Ball(share * whole), u, share * whole);
      expect_same<S>(NonnegativeL1Ball(share * whole), u, share * whole);
    }
  }
}

TYPED_TEST(DeviceL1, WhatIsNotFiniteStaysForOthersToSee) {
  using S = TypeParam;
  Matrix<S> u = random_factor<S>(9, 1, 1);
  u(4) = std::numeric_limits<RealOf<S>>::quiet_NaN();
  DeviceFactor<S> away;
  copy_from_host(u, away);
  L1Ball(1).project(away);
  EXPECT_FALSE(all_finite(away));
}

}  // namespace
}  // namespace projfgd::test

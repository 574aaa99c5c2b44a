// The algebra of factors and measurement vectors on a device beside Eigen's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "projfgd/concepts.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/values.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

static_assert(Factor<DeviceFactor<double>> && Factor<DeviceFactor<std::complex<float>>>);
static_assert(Values<DeviceValues<double>> && Values<DeviceValues<float>>);

template <class S>
DeviceFactor<S> placed(const Matrix<S>& host) {
  DeviceFactor<S> u;
  copy_from_host(host, u);
  return u;
}

template <class S>
class DeviceAlgebra : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DeviceAlgebra, Scalars);

TYPED_TEST(DeviceAlgebra, OfFactorsIsEigens) {
  using S = TypeParam;
  using R = RealOf<S>;
  for (const Index rows : {1, 7, 3000}) {
    const Matrix<S> a = random_factor<S>(rows, 3, 1), b = random_factor<S>(rows, 3, 2);
    const Matrix<S> small = random_factor<S>(3, 2, 3);
    const DeviceFactor<S> u = placed(a), v = placed(b);
    const R near = 30 * std::numeric_limits<R>::epsilon() * std::sqrt(R(3 * rows));
    const auto expect = [&](const Matrix<S>& host, const DeviceFactor<S>& away, const char* what) {
      EXPECT_LE((host - copy_to_host(away)).norm(), near * (1 + host.norm())) << what << rows;
    };
    EXPECT_NEAR(dot(u, v), dot(a, b), near * a.norm() * b.norm());
    EXPECT_NEAR(norm(u), a.norm(), near * a.norm());
    EXPECT_TRUE(all_finite(u));
    EXPECT_LE((gram(u, v) - a.adjoint() * b).norm(), near * a.norm() * b.norm());
    DeviceFactor<S> w = v;
    axpy(R(0.3), u, w);
    expect(b + R(0.3) * a, w, "axpy");
    expect(b, v, "a copy is another");
    scale(R(-2), w);
    expect(R(-2) * (b + R(0.3) * a), w, "scale");
    subtract(u, v, w);
    expect(a - b, w, "subtract");
    const std::vector<const DeviceFactor<S>*> list(33, &u);  // more than a kernel takes at a time
    const FactorList<DeviceFactor<S>> us(list);
    std::vector<R> products(list.size());
    dots(us, v, std::span<R>(products));
    for (const R product : products) EXPECT_NEAR(product, dot(a, b), near * a.norm() * b.norm());
    w = v;
    axpys(std::span<const R>(std::vector<R>(list.size(), R(0.1))), us, w);
    expect(b + R(3.3) * a, w, "axpys");
    const std::vector<R> weights(list.size(), R(0.1));
    combine(std::span<const R>(weights), us, w);
    expect(R(3.3) * a, w, "combine");
    add_scaled(u, R(-0.5), v, w);
    expect(a - R(0.5) * b, w, "add_scaled");
    const auto [uu, uv] = inner_products(std::array{twice(u), FactorPair{&u, &v}});
    EXPECT_NEAR(uu, a.squaredNorm(), near * a.squaredNorm());
    EXPECT_NEAR(uv, dot(a, b), near * a.norm() * b.norm());
    const auto [vv, vu] = grams(std::array{twice(v), FactorPair{&v, &u}});
    EXPECT_LE((vv - b.adjoint() * b).norm(), near * b.squaredNorm());
    EXPECT_LE((vu - b.adjoint() * a).norm(), near * a.norm() * b.norm());
    for (const std::size_t count : {std::size_t{2}, std::size_t{70}}) {  // 70: several kernels
      Matrix<S> wide(rows, 3 * static_cast<Index>(count));
      std::vector<const DeviceFactor<S>*> blocks(count, &u);
      blocks[1] = &v;
      for (std::size_t k = 0; k < count; ++k) {
        wide.middleCols(3 * static_cast<Index>(k), 3) = k == 1 ? b : a;
      }
      const FactorList<DeviceFactor<S>> side_by_side(blocks);
      const R length = wide.norm();
      EXPECT_LE((gram_of_list(side_by_side, v) - wide.adjoint() * b).norm(),
                near * length * b.norm());
      const Matrix<S> y = random_factor<S>(wide.cols(), 2, 4);
      DeviceFactor<S> sum = placed(Matrix<S>(a.leftCols(2))), product;
      add_products(side_by_side, y, sum, product);
      EXPECT_LE((copy_to_host(sum) - a.leftCols(2) - wide * y).norm(), near * length * y.norm());
    }
    for (const double radius : {0.5, 1e3}) {
      w = u;
      shorten(w, radius);
      expect(a * R(std::min(1., radius / double(a.norm()))), w, "shorten");
    }
    DeviceFactor<S> top;
    Matrix<S> last;
    if (rows > 1) {
      split_last_row(u, top, last);
      expect(a.topRows(rows - 1), top, "the rows above the last");
      EXPECT_TRUE(last == a.bottomRows(1));
      put_last_row(top, last, w);
      expect(a, w, "the last row put back");
    }
    multiply(u, small, w);
    expect(a * small, w, "multiply");
    const Matrix<S> square = random_factor<S>(3, 300, 5);  // more than a kernel carries
    multiply(u, square, w);
    expect(a * square, w, "multiply by many columns");
    multiply(u, small, w);
    Nonnegative().project(w);
    Matrix<S> host = a * small;
    Nonnegative().project(host);
    expect(host, w, "nonnegative");
    std::vector<bool> inside(static_cast<std::size_t>(rows), true);
    inside[0] = false;
    Support(DeviceMarks(inside)).project(w);
    host.row(0).setZero();
    expect(host, w, "support");
    EXPECT_THROW(keep_rows(DeviceMarks(std::vector<bool>(5)), w), InputError);
    set_zero(rows, 2, w);
    expect(Matrix<S>::Zero(rows, 2), w, "zero");
    host(rows - 1, 1) = std::numeric_limits<R>::quiet_NaN();
    EXPECT_FALSE(all_finite(placed(host)));
  }
}

TYPED_TEST(DeviceAlgebra, OfNumbersIsEigens) {
  using R = RealOf<TypeParam>;
  for (const Index size : {1, 255, 70000}) {
    const Vector<R> a = random_vector<R>(size, 1), b = random_vector<R>(size, 2);
    DeviceValues<R> p, q, out;
    copy_from_host(a, p);
    copy_from_host(b, q);
    const R near = 30 * std::numeric_limits<R>::epsilon() * std::sqrt(R(size));
    EXPECT_NEAR(dot(p, q), a.dot(b), near * a.norm() * b.norm());
    EXPECT_NEAR(norm(p), a.norm(), near * a.norm());
    EXPECT_EQ(dot(p, q), dot(p, q));
    subtract(p, q, out);
    EXPECT_LE((copy_to_host(out) - (a - b)).norm(), near);
    axpy(R(2), p, out);
    scale(R(0.5), out);
    EXPECT_LE((copy_to_host(out) - (R(1.5) * a - R(0.5) * b)).norm(), near * a.norm());
    set_zero(size, out);
    EXPECT_EQ(norm(out), 0);
  }
}

}  // namespace
}  // namespace projfgd::test

#include "support/operator_conformance.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "projfgd/core/error.hpp"
#include "projfgd/core/threads.hpp"
#include "support/allocations.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

constexpr std::uint64_t seeds = 3;

/// 30 eps sqrt(n m): what rounding may do to a relative error.
template <class S>
double bound(const AnyOperator<S>& op) {
  return 30 * double(std::numeric_limits<RealOf<S>>::epsilon()) *
         std::sqrt(double(op.rows()) * double(op.measurements()));
}

template <class S>
Matrix<S> factor(const AnyOperator<S>& op, Index columns, std::uint64_t seed) {
  return random_factor<S>(op.rows(), columns, seed);
}

/// The size of what is added up in A((U + D)(U + D)^H), before anything can cancel.
template <class S>
double size(const AnyOperator<S>& op, const Matrix<S>& u, const Matrix<S>& d) {
  Vector<RealOf<S>> y, z, cross;
  op.forward(u, y);
  op.forward(d, z);
  op.forward(u, d, cross);
  return y.norm() + z.norm() + 2 * cross.norm();
}

}  // namespace

template <class S>
void Conformance<S>::adjoint_is_the_adjoint() const {
  using Real = RealOf<S>;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto op = make(seed);
    for (Index columns = 1; columns <= 3; ++columns) {
      const auto u = factor(op, columns, seed + 10);
      const auto w = random_vector<Real>(op.measurements(), seed + 20);
      Vector<Real> y;
      Matrix<S> g;
      op.forward(u, y);
      op.adjoint_times(w, u, g);
      ASSERT_EQ(y.size(), op.measurements());
      ASSERT_EQ(g.rows(), op.rows());
      ASSERT_EQ(g.cols(), columns);
      const double norms = std::max<double>(y.norm() * w.norm(), u.norm() * g.norm());
      EXPECT_NEAR(y.dot(w), dot(u, g), bound(op) * norms) << "seed " << seed;
    }
  }
}

template <class S>
void Conformance<S>::cross_product_is_the_adjoint_too() const {
  using Real = RealOf<S>;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto op = make(seed);
    const auto u = factor(op, 2, seed + 10), d = factor(op, 2, seed + 11);
    const auto w = random_vector<Real>(op.measurements(), seed + 20);
    Vector<Real> y;
    Matrix<S> g;
    op.forward(u, d, y);
    op.adjoint_times(w, u, g);
    const double norms = std::max<double>(size(op, u, d) * w.norm(), d.norm() * g.norm());
    EXPECT_NEAR(y.dot(w), dot(d, g), bound(op) * norms) << "seed " << seed;
  }
}

template <class S>
void Conformance<S>::cross_product_is_the_mixed_term_of_the_square() const {
  using Real = RealOf<S>;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto op = make(seed);
    const auto u = factor(op, 3, seed + 10);
    auto d = factor(op, 3, seed + 11);
    Vector<Real> both, yu, yd, cross, swapped;
    op.forward(Matrix<S>(u + d), both);
    op.forward(u, yu);
    op.forward(d, yd);
    op.forward(u, d, cross);
    op.forward(d, u, swapped);
    const double tolerance = bound(op) * size(op, u, d);
    EXPECT_LE((both - yu - yd - 2 * cross).norm(), tolerance) << "seed " << seed;
    EXPECT_LE((cross - swapped).norm(), tolerance) << "seed " << seed;
    op.forward(u, u, cross);
    EXPECT_LE((cross - yu).norm(), tolerance) << "seed " << seed;
  }
}

template <class S>
void Conformance<S>::is_linear_in_x_and_in_the_weights() const {
  using Real = RealOf<S>;
  using F = Matrix<S>;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto op = make(seed);
    const F u = factor(op, 3, seed + 10);
    // X = sum over columns: A(X) is the sum of their measurements.
    Vector<Real> whole, part, sum = Vector<Real>::Zero(op.measurements());
    op.forward(u, whole);
    for (Index c = 0; c < 3; ++c) {
      op.forward(F(u.col(c)), part);
      sum += part;
    }
    EXPECT_LE((whole - sum).norm(), bound(op) * whole.norm()) << "seed " << seed;

    const auto w = random_vector<Real>(op.measurements(), seed + 20);
    const auto x = random_vector<Real>(op.measurements(), seed + 21);
    F gw, gx, g;
    op.adjoint_times(w, u, gw);
    op.adjoint_times(x, u, gx);
    op.adjoint_times(Vector<Real>(w - 2 * x), u, g);
    EXPECT_LE((g - (gw - Real(2) * gx)).norm(), bound(op) * (gw.norm() + gx.norm()))
        << "seed " << seed;
  }
}

template <class S>
void Conformance<S>::same_bits_for_any_number_of_threads() const {
  using Real = RealOf<S>;
  using F = Matrix<S>;
  const int before = threads();
  const auto op = make(case_for_threads);
  const F u = factor(op, 3, 2), d = factor(op, 3, 3);
  const auto w = random_vector<Real>(op.measurements(), 4);
  Vector<Real> y1, c1;
  F g1;
  set_threads(1);
  op.forward(u, y1);
  op.forward(u, d, c1);
  op.adjoint_times(w, u, g1);
  for (const int count : {2, 4}) {
    set_threads(count);
    Vector<Real> y, c;
    F g;
    op.forward(u, y);
    op.forward(u, d, c);
    op.adjoint_times(w, u, g);
    EXPECT_TRUE(y == y1) << count << " threads";
    EXPECT_TRUE(c == c1) << count << " threads";
    EXPECT_TRUE(g == g1) << count << " threads";
  }
  set_threads(before);
}

template <class S>
void Conformance<S>::takes_nothing_from_the_heap_once_it_is_warm() const {
  using Real = RealOf<S>;
  using F = Matrix<S>;
  if (!counts_allocations) GTEST_SKIP() << "this build has a heap of its own";
  const int before = threads();
  set_threads(1);
  const auto op = make(case_for_heap);
  const F u = factor(op, 3, 2), d = factor(op, 3, 3);
  const auto w = random_vector<Real>(op.measurements(), 4);
  Vector<Real> y, cross;
  F g;
  const auto taken = [&] {
    const std::size_t so_far = allocations();
    op.forward(u, y);
    op.forward(u, d, cross);
    op.adjoint_times(w, u, g);
    return allocations() - so_far;
  };
  EXPECT_GT(taken(), 0);
  for (int pass = 0; pass < 4; ++pass) taken();  // buffers find their sizes
  EXPECT_EQ(taken(), 0);
  set_threads(before);
}

template <class S>
void Conformance<S>::refuses_arguments_of_another_shape() const {
  using Real = RealOf<S>;
  using F = Matrix<S>;
  const auto op = make(1);
  const Index n = op.rows(), m = op.measurements();
  const F u = factor(op, 2, 2), narrow = factor(op, 1, 3);
  const F high = F::Ones(n + 1, 2), low = F::Ones(n - 1, 2);
  Vector<Real> y;
  F g;
  for (const F& wrong : {high, low}) {
    EXPECT_THROW(op.forward(wrong, y), InputError);
    EXPECT_THROW(op.forward(u, wrong, y), InputError);
    EXPECT_THROW(op.forward(wrong, u, y), InputError);
    EXPECT_THROW(op.adjoint_times(Vector<Real>::Ones(m), wrong, g), InputError);
  }
  EXPECT_THROW(op.forward(u, narrow, y), InputError);
  EXPECT_THROW(op.adjoint_times(Vector<Real>::Ones(m + 1), u, g), InputError);
  EXPECT_THROW(op.adjoint_times(Vector<Real>::Ones(m - 1), u, g), InputError);
}

template struct Conformance<float>;
template struct Conformance<double>;
template struct Conformance<std::complex<float>>;
template struct Conformance<std::complex<double>>;

}  // namespace projfgd::test

// A gradient that does not belong to its f is the commonest mistake in an objective of one's own.
#include "projfgd/core/gradient_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/constraints/l1.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/schatten.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

enum class Slip { none, sign, square, conjugate };

/// 1/2 ||X - B||^2 with a slip in its gradient.
template <class S>
struct Slipped {
  using Factor = Matrix<S>;
  Matrix<S> b, gap = {};
  Slip slip = Slip::none;

  Index rows() const { return b.rows(); }
  double at(const Factor& u) {
    gap = u * u.adjoint() - b;
    return gap.squaredNorm() / 2;
  }
  void gradient_times(const Factor& v, Factor& g) const {
    g = gap * v;
    if (slip == Slip::sign) g = -g;
    if (slip == Slip::square) g = gap * g;
    if (slip == Slip::conjugate) g = g.conjugate().eval();
  }
};

template <class S>
Slipped<S> slipped(Slip slip) {
  const Matrix<S> a = random_factor<S>(20, 2, 1);
  return {a * a.adjoint(), {}, slip};
}

TEST(GradientCheck, TellsRightFromWrong) {
  using C = std::complex<double>;
  const Matrix<C> u = random_factor<C>(20, 2, 2);
  auto right = slipped<C>(Slip::none);
  // A central difference with h = eps^(1/3) is right to h^2 times the third derivative.
  EXPECT_LE(gradient_mismatch(right, u), 1e-8);
  for (const Slip slip : {Slip::sign, Slip::square, Slip::conjugate}) {
    auto wrong = slipped<C>(slip);
    EXPECT_GE(gradient_mismatch(wrong, u), 0.1) << static_cast<int>(slip);
  }
  // Where a right gradient vanishes the difference has nothing but its own error to show.
  const Matrix<C> best = random_factor<C>(20, 2, 1);
  EXPECT_THROW(gradient_mismatch(right, best), InputError);
  EXPECT_THROW(gradient_mismatch(right, Matrix<C>(u.topRows(19))), InputError);
  EXPECT_THROW(gradient_mismatch(right, Matrix<C>(1e200 * u)), InputError);  // f is infinite
  auto narrow = slipped<std::complex<float>>(Slip::none);
  EXPECT_LE(gradient_mismatch(narrow, random_factor<std::complex<float>>(20, 2, 2)), 1e-3);
}

TEST(GradientCheck, AWrongSignIsNotCalledConvergence) {
  const Start<Matrix<double>> start{random_factor<double>(20, 2, 2), 1};
  auto right = slipped<double>(Slip::none), wrong = slipped<double>(Slip::sign);
  const AnyConstraint<double> none = Unconstrained();
  EXPECT_EQ(projfgd(right, none, start).status, Status::converged);
  const auto result = projfgd(wrong, none, start);
  EXPECT_EQ(result.status, Status::stalled);
  EXPECT_EQ(result.message,
            "f does not decrease along its negative gradient: f or its gradient is wrong");
}

TEST(GradientCheck, AWrongSignIsSeenOnEverySet) {
  const Start<Matrix<double>> start{random_factor<double>(20, 2, 2), 1};
  const auto expect_seen = [&](const AnyConstraint<double>& set) {
    auto right = slipped<double>(Slip::none), wrong = slipped<double>(Slip::sign);
    EXPECT_EQ(projfgd(right, set, start).status, Status::converged);
    EXPECT_EQ(projfgd(wrong, set, start).status, Status::stalled);
  };
  const double size = std::sqrt(slipped<double>(Slip::none).b.trace());  // of the minimiser's U
  for (const double radius : {0.5 * size, 2 * size}) {
    expect_seen(FrobeniusSphere(radius));  // not convex: U is never inside
    expect_seen(FrobeniusBall(radius));
    expect_seen(L1Ball(radius));
    expect_seen(SpectralBall(radius / 2));
  }
}

}  // namespace
}  // namespace projfgd::test

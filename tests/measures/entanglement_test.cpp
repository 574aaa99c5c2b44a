// Negativity against what theory says of known states.
#include "projfgd/measures/entanglement.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "projfgd/measures/intervals.hpp"
#include "support/support.hpp"

namespace projfgd {
namespace {

using C = std::complex<double>;

StateFactor with_white_noise(const StateFactor& psi, double white) {
  const Index n = psi.rows();
  StateFactor u(n, n + 1);
  u.col(0) = std::sqrt(1 - white) * psi;
  u.rightCols(n) = std::sqrt(white / static_cast<double>(n)) * StateFactor::Identity(n, n);
  return u;
}

TEST(Negativity, OfABellStateWithWhiteNoise) {
  // The lowest eigenvalue of the partial transpose of (1 - p) Phi+ + p I/4 is p/4 - (1 - p)/2.
  for (const double white : {0.0, 0.1, 0.5, 2.0 / 3, 0.9}) {
    const StateFactor u = with_white_noise(named_state("bell", 2), white);
    EXPECT_NEAR(negativity(u, {0}), std::max(0.0, (1 - white) / 2 - white / 4), 1e-14) << white;
  }
}

TEST(Negativity, OfAPureStateIsThatOfItsSchmidtCoefficients) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const StateFactor psi = normalised(test::random_factor<C>(16, 1, seed));
    const Matrix<C> rho = reduced_state(psi, {1, 3});
    const Vector<double> weights =
        Eigen::SelfAdjointEigenSolver<Matrix<C>>(rho).eigenvalues().cwiseMax(0.0);
    const double expected = (std::pow(weights.cwiseSqrt().sum(), 2) - 1) / 2;
    EXPECT_NEAR(negativity(psi, {1, 3}), expected, 1e-12);
    EXPECT_NEAR(negativity(psi, {0, 2}), expected, 1e-12);  // the other side of the same cut
  }
}

TEST(Negativity, AnObservableBoundsItFromBelow) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const StateFactor u = normalised(test::random_factor<C>(8, 2, seed));
    const StateFactor other = normalised(test::random_factor<C>(8, 3, seed + 100));
    for (int qubit = 0; qubit < 3; ++qubit) {
      const Vector<double> values = partial_transpose_eigenvalues(u, {qubit});
      const StateFactor o = negativity_observable(u, {qubit}, (values.array() < 0).count());
      EXPECT_LE((o - o.adjoint()).norm(), 1e-14);
      const auto expected = [&o](const StateFactor& v) {
        return (v.adjoint() * o * v).trace().real();
      };
      EXPECT_NEAR(expected(u), negativity(u, {qubit}), 1e-13);
      EXPECT_LE(expected(other), negativity(other, {qubit}) + 1e-13);
      // the coordinates of the estimates give the same number
      const Vector<double> x = pauli_coordinates(other, other);
      EXPECT_NEAR(hermitian_observable(o).dot(x), expected(other), 1e-13);
    }
  }
}

TEST(Negativity, OfAProductIsZero) {
  EXPECT_NEAR(negativity(named_state("plus", 3), {2}), 0, 1e-14);
}

}  // namespace
}  // namespace projfgd

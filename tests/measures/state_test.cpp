// State measures against dense density matrices and against what theory says of them.
#include "projfgd/measures/state.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "projfgd/core/error.hpp"
#include "support/support.hpp"

namespace projfgd {
namespace {

using C = std::complex<double>;

Matrix<C> random_state(Index n, Index r, std::uint64_t seed) {
  return normalised(test::random_factor<C>(n, r, seed));
}

Matrix<C> dense_pauli(const std::string& label) {
  const C i(0, 1);
  Matrix<C> p = Matrix<C>::Identity(1, 1);
  for (const char letter : label) {
    Matrix<C> one(2, 2);
    if (letter == 'I') one << 1, 0, 0, 1;
    if (letter == 'X') one << 0, 1, 1, 0;
    if (letter == 'Y') one << 0, -i, i, 0;
    if (letter == 'Z') one << 1, 0, 0, -1;
    Matrix<C> wide(2 * p.rows(), 2 * p.cols());
    for (Index a = 0; a < p.rows(); ++a) {
      for (Index b = 0; b < p.cols(); ++b) wide.block(2 * a, 2 * b, 2, 2) = p(a, b) * one;
    }
    p = wide;
  }
  return p;
}

TEST(State, EqualsDenseFormulas) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix<C> u = random_state(8, 1 + seed % 8, seed),
                    v = random_state(8, 1 + (seed * 3) % 8, seed + 100);
    const Matrix<C> rho = u * u.adjoint(), sigma = v * v.adjoint();
    EXPECT_NEAR(trace(u), 1, 1e-14);
    EXPECT_NEAR(purity(u), std::real((rho * rho).trace()), 1e-14);
    const Eigen::SelfAdjointEigenSolver<Matrix<C>> of_rho(rho), of_difference(rho - sigma);
    const auto values = eigenvalues(u);
    double expected_entropy = 0;
    for (Index k = 0; k < values.size(); ++k) {
      EXPECT_NEAR(values[k], of_rho.eigenvalues()[7 - k], 1e-14);
      const double p = of_rho.eigenvalues()[7 - k];
      if (p > 0) expected_entropy -= p * std::log2(p);
    }
    EXPECT_NEAR(entropy(eigenvalues(u)), expected_entropy, 1e-12);
    EXPECT_NEAR(trace_distance(u, v), of_difference.eigenvalues().cwiseAbs().sum() / 2, 1e-13);
    const Matrix<C> root = of_rho.eigenvectors() *
                           of_rho.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() *
                           of_rho.eigenvectors().adjoint();
    const Eigen::SelfAdjointEigenSolver<Matrix<C>> inner(root * sigma * root);
    const double tr = inner.eigenvalues().cwiseMax(0.0).cwiseSqrt().sum();
    EXPECT_NEAR(fidelity(u, v), tr * tr, 1e-7);  // the square roots of rounding errors
    EXPECT_NEAR(fidelity(u, v), fidelity(v, u), 1e-13);
    EXPECT_NEAR(fidelity(u, u), 1, 1e-13);
    const double f = fidelity(u, v), t = trace_distance(u, v);  // Fuchs - van de Graaf
    EXPECT_LE(1 - std::sqrt(f), t + 1e-13);
    EXPECT_LE(t, std::sqrt(1 - f) + 1e-13);
    for (const std::string label : {"XYZ", "IIZ", "YYI", "ZXY", "YYY", "III"}) {
      EXPECT_NEAR(expectation(parse_pauli(label), u), std::real((dense_pauli(label) * rho).trace()),
                  1e-14);
    }
  }
}

TEST(State, ReducedStates) {
  // A product state: qubits 2 and 0 in one state, qubit 1 in another.
  const Matrix<C> a = random_state(4, 3, 1), b = random_state(2, 2, 2);
  Matrix<C> u(8, 6);
  for (Index j = 0; j < 8; ++j) {
    for (Index c = 0; c < 6; ++c) {
      u(j, c) = a((j & 1) | ((j >> 1) & 2), c / 2) * b((j >> 1) & 1, c % 2);
    }
  }
  EXPECT_LE((reduced_state(u, {0, 2}) - a * a.adjoint()).norm(), 1e-14);
  EXPECT_LE((reduced_state(u, {1}) - b * b.adjoint()).norm(), 1e-14);
  EXPECT_LE((reduced_state(u, {0, 1, 2}) - u * u.adjoint()).norm(), 1e-14);
  EXPECT_NEAR(std::abs(reduced_state(u, {})(0, 0)), 1, 1e-14);
  EXPECT_THROW(reduced_state(u, {3}), InputError);
  EXPECT_THROW(reduced_state(u, {1, 1}), InputError);
}

TEST(State, NamedStates) {
  EXPECT_NEAR(expectation(parse_pauli("XXX"), named_state("ghz", 3)), 1, 1e-15);
  EXPECT_NEAR(expectation(parse_pauli("ZZI"), named_state("ghz", 3)), 1, 1e-15);
  EXPECT_NEAR(expectation(parse_pauli("XYY"), named_state("ghz", 3)), -1, 1e-15);
  EXPECT_NEAR(expectation(parse_pauli("ZZZ"), named_state("w", 3)), -1, 1e-15);
  EXPECT_NEAR(expectation(parse_pauli("XX"), named_state("bell", 2)), 1, 1e-15);
  EXPECT_NEAR(expectation(parse_pauli("XXXX"), named_state("plus", 4)), 1, 1e-15);
  EXPECT_NEAR(expectation(parse_pauli("ZZ"), named_state("zero", 2)), 1, 1e-15);
  for (const std::string& name : state_names()) {
    EXPECT_NEAR(trace(named_state(name, 2)), 1, 1e-15) << name;
  }
  EXPECT_THROW(named_state("cat", 2), InputError);
  EXPECT_THROW(named_state("bell", 3), InputError);
}

}  // namespace
}  // namespace projfgd

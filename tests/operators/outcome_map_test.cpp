#include "projfgd/operators/outcome_map.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "projfgd/core/error.hpp"
#include "projfgd/operators/pauli.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

using Complex = std::complex<double>;

/// X, Y, Z and one that is none of them.
std::vector<QubitBasis> four_bases() {
  std::vector<QubitBasis> bases = pauli_bases();
  const Complex i(0, 1);
  bases.push_back({{{0.8, 0.6 * i}, {0.6, -0.8 * i}}});
  return bases;
}

const std::vector<Setting> settings{{0, 1, 2}, {3, 1, 0}, {2, 2, 2}, {0, 1, 3}, {2, 2, 2}};

Readout per_qubit() {
  return {{{{{0.9, 0.2}, {0.1, 0.8}}}, {{{0.95, 0.1}, {0.05, 0.9}}}, {{{1, 0.3}, {0, 0.7}}}}, {}};
}

Readout full() {
  Matrix<double> c = random_factor<double>(8, 8, 3).cwiseAbs();
  for (Index j = 0; j < 8; ++j) c.col(j) /= c.col(j).sum();
  return {{}, c};
}

TEST(OutcomeMap, AgreesWithTheOperatorOnFactors) {
  const Matrix<Complex> u = random_factor<Complex>(8, 3, 1), v = random_factor<Complex>(8, 3, 2);
  const ProductBasisOperator<Complex> ideal(settings, four_bases());
  for (const Readout& readout : {Readout{}, per_qubit(), full()}) {
    const AnyOperator<Complex> op =
        readout.empty() ? AnyOperator<Complex>(ideal)
                        : AnyOperator<Complex>(ReadoutOperator<Complex>(ideal, readout));
    const OutcomeMap map(settings, four_bases(), readout);
    Vector<double> expected, p;
    op.forward(u, v, expected);
    map.forward(pauli_coordinates(u, v), p);
    EXPECT_LE((p - expected).norm(), 1e-13 * (1 + expected.norm()));
  }
}

TEST(OutcomeMap, AdjointIsTheAdjoint) {
  for (const Readout& readout : {Readout{}, per_qubit(), full()}) {
    const OutcomeMap map(settings, four_bases(), readout);
    const auto x = random_vector<double>(map.coordinates(), 1);
    const auto w = random_vector<double>(map.measurements(), 2);
    Vector<double> p, back;
    map.forward(x, p);
    map.adjoint(w, back);
    EXPECT_NEAR(p.dot(w), x.dot(back), 1e-13 * x.norm() * back.norm());
  }
}

TEST(OutcomeMap, KnowsTheDiagonalOfItsNormalMatrix) {
  const OutcomeMap map(settings, four_bases(), per_qubit());
  const Vector<double> w = random_vector<double>(map.measurements(), 2).cwiseAbs();
  const Vector<double> diagonal = map.normal_diagonal(w);
  for (Index k = 0; k < map.coordinates(); ++k) {
    Vector<double> column;
    map.forward(Vector<double>::Unit(map.coordinates(), k), column);
    EXPECT_NEAR(diagonal[k], column.cwiseAbs2().dot(w), 1e-13 * w.sum());
  }
}

TEST(OutcomeMap, CoordinatesAreThePauliExpectations) {
  const Matrix<Complex> u = random_factor<Complex>(8, 2, 4);
  const Vector<double> x = pauli_coordinates(u, u);
  for (const char* label : {"III", "XYZ", "ZIY", "YYX", "IIZ", "XII"}) {
    const PauliString pauli = parse_pauli(label);
    Vector<double> expected;
    PauliOperator<Complex>(3, {pauli}, 1).forward(u, expected);
    EXPECT_NEAR(x[pauli_position(pauli, 3)], expected[0], 1e-13 * u.squaredNorm()) << label;
  }
}

TEST(OutcomeMap, RefusesArgumentsOfAnotherShape) {
  const OutcomeMap map(settings, four_bases());
  Vector<double> out;
  EXPECT_THROW(map.forward(Vector<double>::Ones(63), out), InputError);
  EXPECT_THROW(map.adjoint(Vector<double>::Ones(41), out), InputError);
}

}  // namespace
}  // namespace projfgd::test

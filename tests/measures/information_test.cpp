#include "projfgd/measures/information.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <complex>
#include <limits>

#include "projfgd/core/any.hpp"
#include "projfgd/operators/white_noise.hpp"
#include "support/random_problem.hpp"
#include "support/simulated_counts.hpp"

namespace projfgd::test {
namespace {

using Complex = std::complex<double>;
using Operator = ProductBasisOperator<Complex>;
using AnyOp = AnyOperator<Complex>;

constexpr double shots = 300;

Information<AnyOp> information_of(const AnyOp& op, const Matrix<Complex>& u) {
  Vector<double> p;
  op.forward(u, p);
  auto [curvature, slope] =
      expected_derivatives<double>(Vector<double>::Constant(p.size(), shots), p);
  return {op, curvature, slope, u};
}

/// The variance of a fidelity with psi, or above what ignorance would be.
double variance_of_fidelity(const AnyOp& op, const Matrix<Complex>& u, const Matrix<Complex>& psi) {
  return information_of(op, u).variance(2 * psi * (psi.adjoint() * u), variance_of_ignorance(1));
}

TEST(Information, IsTheInverseOfTheSecondDerivativeOnWhatChangesX) {
  const AnyOp op = Operator(all_settings(2));
  const Matrix<Complex> u = normalised(random_factor<Complex>(4, 2, 1));
  const auto information = information_of(op, u);
  const Index size = 2 * u.size();
  Matrix<double> h(size, size);
  for (Index k = 0; k < size; ++k) {
    Matrix<Complex> d = Matrix<Complex>::Zero(4, 2);
    reinterpret_cast<double*>(d.data())[k] = 1;
    const Matrix<Complex> column = information.times(information.tangent(d));
    h.col(k) =
        Eigen::Map<const Vector<double>>(reinterpret_cast<const double*>(column.data()), size);
  }
  EXPECT_LE((h - h.transpose()).norm(), 1e-12 * h.norm());
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(h);
  // A state of rank 2 has 2 n r - r^2 - 1 parameters; the others leave it as it is.
  constexpr Index parameters = 11;
  EXPECT_LE(eigen.eigenvalues()[size - parameters - 1], 1e-10 * h.norm());
  EXPECT_GE(eigen.eigenvalues()[size - parameters], 1e-4 * h.norm());
  const Matrix<Complex> psi = normalised(random_factor<Complex>(4, 1, 2));
  Matrix<Complex> g = information.tangent(2 * psi * (psi.adjoint() * u));
  const Eigen::Map<const Vector<double>> flat(reinterpret_cast<const double*>(g.data()), size);
  const Vector<double> parts = eigen.eigenvectors().rightCols(parameters).transpose() * flat;
  const double expected =
      (parts.array().square() / eigen.eigenvalues().tail(parameters).array()).sum();
  EXPECT_NEAR(information.variance(g, 1), expected, 1e-6 * expected);
}

/// Settings in which one qubit is always measured in the same basis.
std::vector<Setting> settings_with(int qubit, std::uint8_t letter) {
  std::vector<Setting> some;
  for (const Setting& setting : all_settings(3)) {
    if (setting[qubit] == letter) some.push_back(setting);
  }
  return some;
}

TEST(Information, SeesThatStatesAreNotDetermined) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    const Operator op(
        settings_with(static_cast<int>(dice.below(3)), static_cast<std::uint8_t>(dice.below(3))));
    const Index rank = 1 + dice.below(2);
    const Matrix<Complex> u = normalised(random_factor<Complex>(8, rank, seed));
    const Matrix<Complex> psi = normalised(random_factor<Complex>(8, 1, 7 * seed + 1));
    EXPECT_GT(variance_of_fidelity(op, u, psi), variance_of_ignorance(1)) << "seed " << seed;
    const WhiteNoiseOperator<Operator> noisy(op);
    Matrix<Complex> longer = Matrix<Complex>::Zero(9, 1);
    longer.topRows(8) = psi;
    EXPECT_GT(variance_of_fidelity(noisy, with_white_noise(u, 0.1), longer),
              variance_of_ignorance(1))
        << "seed " << seed;
  }
}

TEST(Information, SeesThatStatesAreDetermined) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    std::vector<Setting> settings = all_settings(3);
    // States of rank 1 and 2 need less than all settings: a random two thirds of them.
    for (int k = 0; k < 9; ++k) {
      settings.erase(settings.begin() + dice.below(static_cast<Index>(settings.size())));
    }
    const Operator op(settings);
    const Index rank = 1 + dice.below(2);
    const Matrix<Complex> u = normalised(random_factor<Complex>(8, rank, seed));
    const Matrix<Complex> psi = normalised(random_factor<Complex>(8, 1, 7 * seed + 1));
    EXPECT_LT(variance_of_fidelity(op, u, psi), variance_of_ignorance(1)) << "seed " << seed;
  }
}

/// Counts products of the operator it stands for.
class Counted {
 public:
  using Factor = Matrix<Complex>;
  using Values = Vector<double>;
  Counted(const Operator& op, int& products) : op_(op), products_(products) {}
  Index rows() const { return op_.rows(); }
  Index measurements() const { return op_.measurements(); }
  void forward(const Factor& u, Values& y) const { op_.forward(u, y); }
  void forward(const Factor& u, const Factor& d, Values& y) const { op_.forward(u, d, y); }
  void adjoint_times(const Values& w, const Factor& u, Factor& g) const {
    ++products_;
    op_.adjoint_times(w, u, g);
  }

 private:
  const Operator& op_;
  int& products_;
};

TEST(Information, SmallEigenvaluesOfTheStateCostNoSteps) {
  // Weights that do not depend on the outcome: what is left is the shape of the factor.
  const Operator op(all_settings(5));
  const Matrix<Complex> alike = normalised(random_factor<Complex>(32, 4, 1));
  Matrix<Complex> steep = alike;
  for (Index k = 0; k < 4; ++k) steep.col(k) *= std::pow(10.0, -static_cast<double>(k) / 2);
  const auto products_with = [&](const Matrix<Complex>& u) {
    int products = 0;
    const AnyOp counted = Counted(op, products);
    const Vector<double> weights = Vector<double>::Constant(op.measurements(), shots);
    const Information<AnyOp> information(counted, weights, 0 * weights, u);
    const Matrix<Complex> psi = normalised(random_factor<Complex>(32, 1, 2));
    EXPECT_LT(information.variance(2 * psi * (psi.adjoint() * u), variance_of_ignorance(1)),
              variance_of_ignorance(1));
    return products;
  };
  // Eigenvalues 1000 times smaller: conjugate gradients alone would take 30 times the steps.
  EXPECT_LE(products_with(normalised(steep)), 2 * products_with(alike));
}

// U K does not change X, whatever the rank of U is, and U changes the trace alone.
TEST(Information, TangentsAreOrthogonalToDirectionsThatLeaveTheStateAsItIs) {
  const AnyOp op = Operator(all_settings(3));
  Matrix<Complex> lower = random_factor<Complex>(8, 4, 1);
  lower.col(3) = lower.col(0);
  for (const Matrix<Complex>& u : {random_factor<Complex>(8, 8, 2), lower}) {
    const auto information = information_of(op, u);
    const Matrix<Complex> d = information.tangent(random_factor<Complex>(8, u.cols(), 3));
    const Matrix<Complex> moved = u.adjoint() * d;
    EXPECT_LE((moved - moved.adjoint()).norm(), 1e-12 * u.norm() * d.norm());
    EXPECT_LE(std::abs(dot(u, d)), 1e-12 * u.norm() * d.norm());
    EXPECT_LE((information.tangent(d) - d).norm(), 1e-12 * d.norm());
  }
}

TEST(Information, CountsOutcomesThatStayAway) {
  // XXX and ZZZ alone leave no other state than this one: six outcomes of ZZZ are never seen.
  const Matrix<Complex> ghz = named_state("ghz", 3);
  EXPECT_LT(variance_of_fidelity(Operator({{0, 0, 0}, {2, 2, 2}}), ghz, ghz),
            variance_of_ignorance(1));
  const Matrix<Complex> other = normalised(ghz + 0.5 * random_factor<Complex>(8, 1, 3));
  EXPECT_GT(variance_of_fidelity(Operator({{2, 2, 2}}), ghz, other), variance_of_ignorance(1));
}

}  // namespace
}  // namespace projfgd::test

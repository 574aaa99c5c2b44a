// The solvers on numbers that live somewhere else: they must come to the same points.
#include "support/opaque.hpp"

#include <gtest/gtest.h>

#include <string>

#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/logistic.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"
#include "projfgd/operators/dense.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

/// 80 positive definite A_i of size 8, and what they see of a matrix of rank 2.
template <class S>
struct Scene {
  static constexpr Index n = 8, m = 80, rank = 2;

  static DenseOperator<S> make_operator() {
    std::vector<Matrix<S>> all;
    for (Index i = 0; i < m; ++i) {
      const Matrix<S> root = random_factor<S>(n, n, 100 + i);
      all.push_back(root * root.adjoint() / RealOf<S>(n));
    }
    return DenseOperator<S>(all);
  }

  DenseOperator<S> op = make_operator();
  OpaqueOperator<DenseOperator<S>> elsewhere{make_operator()};
  Vector<RealOf<S>> y;

  Scene() { op.forward(random_factor<S>(n, rank, 5), y); }
};

template <class R>
OpaqueValues<R> opaque(const Vector<R>& host) {
  OpaqueValues<R> values;
  copy_from_host(host, values);
  return values;
}

std::vector<bool> most_rows() {
  std::vector<bool> inside(8, true);
  inside[3] = false;
  return inside;
}

/// Runs both from the start that is asked for, and compares.
template <class S, class HostLoss, class OpaqueLoss, class C>
void expect_same(const Scene<S>& scene, const HostLoss& loss, const OpaqueLoss& other, const C& set,
                 Options options, bool random, const std::string& what) {
  Composite f(scene.op, loss);
  Composite g(scene.elsewhere, other);
  const auto run = [&](auto& objective) {
    if (!random) return projfgd(objective, set, Scene<S>::rank, options);
    return projfgd(objective, set, random_start(objective, Scene<S>::rank, 3), options);
  };
  const auto host = run(f);
  const auto away = run(g);
  const Matrix<S> found = copy_to_host(away.factor);
  EXPECT_EQ(host.iterations, away.iterations) << what;
  EXPECT_GT(host.iterations, 2) << what;
  EXPECT_LE((host.factor - found).norm(), 1e-12 * host.factor.norm()) << what;
  EXPECT_NEAR(host.objective, away.objective, 1e-12 * (1 + std::abs(host.objective))) << what;
}

template <class S>
class Opaque : public ::testing::Test {};
using Scalars = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(Opaque, Scalars);

template <class S, class Check>
void for_each_rule(const Check& check) {
  for (const StepRule rule :
       {StepRule::automatic, StepRule::theory, StepRule::theory_adaptive, StepRule::constant}) {
    for (const bool random : {false, true}) {
      Options options;
      options.step = rule;
      options.step_constant = 8;
      options.step_size = 1e-3;
      options.max_iterations = 6;  // before rounding is amplified
      options.tolerance = 0;
      check(options, random,
            "rule " + std::to_string(static_cast<int>(rule)) + (random ? ", random" : ""));
    }
  }
}

TYPED_TEST(Opaque, EveryStepRuleAndStartAgreesWithEigen) {
  using S = TypeParam;
  using R = RealOf<S>;
  const Scene<S> scene;
  const LeastSquares<R> squares(scene.y);
  const LeastSquares<R, OpaqueValues<R>> away(opaque<R>(scene.y));
  for_each_rule<S>([&](const Options& options, bool random, const std::string& rule) {
    const auto check = [&](const auto& set, const char* name) {
      expect_same<S>(scene, squares, away, set, options, random, rule + ", " + name);
    };
    check(Unconstrained(), "none");
    check(FrobeniusBall(2.5), "ball");
    check(FrobeniusSphere(3), "sphere");
    check(Support(most_rows()), "support");
    check(Within(Support(most_rows()), Nonnegative()), "nonnegative on a support");
  });
}

TYPED_TEST(Opaque, EveryLossAgreesWithEigen) {
  using S = TypeParam;
  using R = RealOf<S>;
  using V = OpaqueValues<R>;
  const Scene<S> scene;
  const Vector<R> exposures = Vector<R>::Constant(scene.y.size(), 100);
  const Vector<R> counts = (scene.y * R(100)).array().round();
  const Vector<R> weights = random_vector<R>(scene.y.size(), 9).cwiseAbs();
  const Vector<R> signs =
      (scene.y.array() > scene.y.mean()).select(Vector<R>::Ones(scene.y.size()), R(-1));
  for_each_rule<S>([&](const Options& options, bool random, const std::string& rule) {
    const auto check = [&](const auto& loss, const auto& away, const char* name) {
      expect_same<S>(scene, loss, away, FrobeniusBall(3), options, random, rule + ", " + name);
    };
    check(Poisson<R>(counts, exposures), Poisson<R, V>(opaque<R>(counts), opaque<R>(exposures)),
          "Poisson");
    check(WeightedLeastSquares<R>(scene.y, weights),
          WeightedLeastSquares<R, V>(opaque<R>(scene.y), opaque<R>(weights)), "weighted");
    check(Logistic<R>(signs, 2), Logistic<R, V>(opaque<R>(signs), 2), "logistic");
  });
}

TYPED_TEST(Opaque, ChosenAtRunTime) {
  using S = TypeParam;
  using R = RealOf<S>;
  const Scene<S> scene;
  Options options;
  options.max_iterations = 12;
  Composite f(scene.op, LeastSquares<R>(scene.y));
  const AnyOperator<S, OpaquePlace> op(scene.elsewhere);
  Composite g(op, AnyLoss<R, OpaquePlace>(LeastSquares<R, OpaqueValues<R>>(opaque<R>(scene.y))));
  const AnyConstraint<S, OpaquePlace> set(FrobeniusBall(2.5));
  const auto host = projfgd(f, FrobeniusBall(2.5), 2, options);
  const auto away = projfgd(g, set, 2, options);
  EXPECT_GT(host.iterations, 2);
  EXPECT_EQ(host.iterations, away.iterations);
  EXPECT_LE((host.factor - copy_to_host(away.factor)).norm(), 1e-12 * host.factor.norm());
}

}  // namespace
}  // namespace projfgd::test

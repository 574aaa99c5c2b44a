#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "projfgd/core/any.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/logistic.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"
#include "projfgd/operators/identity.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

constexpr Index m = 12;

Vector<double> positive(std::uint64_t seed) {
  return random_vector<double>(m, seed).cwiseAbs().array() + 0.1;
}
Vector<double> counts() {
  Vector<double> k(m);
  for (Index i = 0; i < m; ++i) k[i] = static_cast<double>(i % 4);  // a quarter of them zero
  return k;
}
Vector<double> signs() { return random_vector<double>(m, 9).cwiseSign(); }

struct Case {
  const char* name;
  AnyLoss<double> loss;
};

std::vector<Case> cases() {
  return {{"least squares", LeastSquares<double>(random_vector<double>(m, 1))},
          {"weighted least squares",
           WeightedLeastSquares<double>(random_vector<double>(m, 1), positive(2))},
          {"Poisson", Poisson<double>(counts(), positive(3))},
          {"logistic", Logistic<double>(signs(), 0.7)}};
}

TEST(Losses, GradientsAgreeWithCentralDifferences) {
  for (const auto& [name, loss] : cases()) {
    for (std::uint64_t k = 0; k < 100; ++k) {
      const Vector<double> p = positive(100 + k), direction = random_vector<double>(m, 300 + k);
      Vector<double> w;
      loss.gradient(p, w);
      // The truncation error falls with h^2 and rounding grows with eps / h: h = eps^(1/3).
      const double h = 6e-6 * p.norm() / direction.norm() * 0.1;
      const double difference =
          (loss.value(p + h * direction) - loss.value(p - h * direction)) / (2 * h);
      EXPECT_NEAR(w.dot(direction), difference, 1e-6 * w.norm() * direction.norm())
          << name << ", point " << k;
    }
  }
}

TEST(Losses, StartWeightsAreMinusTheGradientAtZero) {
  for (const auto& [name, loss] : cases()) {
    if (std::string(name) == "Poisson") continue;
    Vector<double> start, w;
    loss.start_weights(start);
    loss.gradient(Vector<double>::Zero(m), w);
    EXPECT_LE((start + w).norm(), 1e-15 * w.norm()) << name;
  }
  Vector<double> start;  // the gradient at 0 is infinite: the counts stand in for it
  Poisson<double>(counts(), positive(3)).start_weights(start);
  EXPECT_TRUE(start == counts());
}

TEST(Losses, QuadraticOnesKnowTheirInnerProduct) {
  for (const auto& [name, loss] : cases()) {
    if (!loss.quadratic()) continue;
    const Vector<double> p = random_vector<double>(m, 4), q = random_vector<double>(m, 5);
    Vector<double> wp, wq;
    loss.gradient(p, wp);
    loss.gradient(p + q, wq);
    EXPECT_NEAR(loss.inner(p, q), p.dot(wq - wp), 1e-13) << name;
    EXPECT_NEAR(loss.value(p + q), loss.value(p) + wp.dot(q) + loss.inner(q, q) / 2, 1e-13) << name;
  }
  EXPECT_TRUE(cases()[0].loss.quadratic());
  EXPECT_FALSE(cases()[2].loss.quadratic());
}

TEST(PoissonLoss, KeepsOutcomesThatWereNeverSeen) {
  const Poisson<double> loss(Vector<double>::Zero(2), Eigen::Vector2d(3, 5));
  EXPECT_DOUBLE_EQ(loss.value(Eigen::Vector2d(1, 2)), 13);
  Vector<double> w;
  loss.gradient(Eigen::Vector2d(1, 2), w);
  EXPECT_TRUE(w == Eigen::Vector2d(3, 5));
}

TEST(PoissonLoss, IsInfiniteWhereASeenOutcomeIsImpossible) {
  const Poisson<double> loss(Eigen::Vector2d(1, 0), Eigen::Vector2d(1, 1));
  EXPECT_EQ(loss.value(Eigen::Vector2d(0, 1)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(loss.value(Eigen::Vector2d(-1, 1)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(loss.value(Eigen::Vector2d(std::nan(""), 1)), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(loss.value(Eigen::Vector2d(1, 0)), 0);
}

TEST(PoissonLoss, SeesTinyMisfits) {
  // k (x - log(1 + x)) = k x^2 / 2 + ... for mean = k (1 + x).
  for (const double x : {1e-3, 1e-6, 1e-9, -1e-7}) {
    const double k = 1024, mean = k + k * x;
    const double rounded = (mean - k) / k;
    const Poisson<double> loss(Vector<double>::Constant(1, k), Vector<double>::Ones(1));
    double expected = 0;
    for (int power = 8; power >= 2; --power) {
      expected += k * (power % 2 == 0 ? 1 : -1) * std::pow(rounded, power) / power;
    }
    EXPECT_NEAR(loss.value(Vector<double>::Constant(1, mean)) / expected, 1, 1e-12);
  }
}

TEST(LogisticLoss, DoesNotOverflow) {
  const Logistic<double> loss(Eigen::Vector2d(1, -1));
  EXPECT_DOUBLE_EQ(loss.value(Eigen::Vector2d(-1e6, 1e6)), 2e6);
  EXPECT_DOUBLE_EQ(loss.value(Eigen::Vector2d(1e6, -1e6)), 0);
  Vector<double> w;
  loss.gradient(Eigen::Vector2d(-1e6, 1e6), w);
  EXPECT_TRUE(w == Eigen::Vector2d(-1, 1));
}

TEST(Composite, WantsOneDatumAMeasurement) {
  const IdentityOperator<double> op(4);
  const Vector<double> y = Vector<double>::Ones(op.measurements());
  EXPECT_NO_THROW(Composite(op, LeastSquares<double>(y)));
  EXPECT_THROW(Composite(op, LeastSquares<double>(y.head(9))), InputError);
}

TEST(Losses, RefuseWhatTheyCannotHave) {
  const Vector<double> y = positive(1), few = y.head(3);
  EXPECT_THROW(WeightedLeastSquares<double>(y, few), InputError);
  EXPECT_THROW(WeightedLeastSquares<double>(y, -y), InputError);
  EXPECT_THROW(Poisson<double>(y, few), InputError);
  EXPECT_THROW(Poisson<double>(-y, y), InputError);
  EXPECT_THROW(Poisson<double>(y, -y), InputError);
  EXPECT_THROW(Logistic<double>(signs(), -1.0), InputError);
  EXPECT_THROW(Logistic<double>(y, 1.0), InputError);
  EXPECT_NO_THROW(Logistic<double>(signs(), 2.0));
}

// No counts have a mean below 0, but predictions may be there by rounding.
TEST(Losses, PoissonIsInfiniteBelowZero) {
  const Vector<double> counts{{3, 0, 0}}, exposures{{1, 1, 1}};
  const Poisson<double> loss(counts, exposures);
  EXPECT_TRUE(std::isinf(loss.value(Vector<double>{{3, 1, -0.5}})));
  EXPECT_NEAR(loss.value(Vector<double>{{3, 1, -1e-16}}), 1, 1e-15);
}

// x - log(1 + x) is x^2 / 2 - x^3 / 3 + ..., though 1 + x has lost most of x.
TEST(Losses, PointwisePoissonDoesNotCancel) {
  for (const double x : {1e-3, -1e-6, 1e-9, -1e-12}) {
    const double y = 4, p = y * (1 + x), seen = (p - y) / y;
    EXPECT_NEAR(PoissonKernel::value(p, y), y * (seen * seen / 2 - seen * seen * seen / 3),
                y * seen * seen * seen * seen)
        << x;
  }
  EXPECT_EQ(PoissonKernel::value(3.0, 3.0), 0);
}

// A background takes nothing from the mean: at the true p the slopes of all counts cancel, and as
// without it they are the derivatives of the values.
TEST(Losses, CountsOverABackgroundAreUnbiased) {
  constexpr double least = 1e-12;  // of a Poisson distribution, whose tail is not summed
  for (const double p : {0.01, 0.3, 1.0, 7.0, 40.0}) {
    double mean = 0, chance = std::exp(-p);
    for (double y = 0; y < p || chance > least; chance *= p / ++y) {
      mean += chance * CountKernel::slope(p, y);
      const double h = 1e-4 * p, up = CountKernel::value(p + h, y),
                   down = CountKernel::value(p - h, y);
      const double curvature = CountKernel::curvature(p, y);
      EXPECT_NEAR((up - down) / (2 * h), CountKernel::slope(p, y), h * curvature + 1e-9 / h)
          << p << ", " << y;
    }
    EXPECT_NEAR(mean, 0, 1e-9) << p;
  }
  EXPECT_TRUE(std::isfinite(CountKernel::value(0.0, 5.0)));
}

TEST(Poisson, SumsInVectorsAreThoseOfItsTerms) {
  // Means beside their counts, far from them, nothing but rounding, and below 0; sizes that leave
  // part of a vector.
  for (const Index size : {1, 7, 8, 1003}) {
    Vector<double> p(size), counts(size), exposures(size);
    for (Index i = 0; i < size; ++i) {
      counts[i] = static_cast<double>(i % 5);
      exposures[i] = 100 + static_cast<double>(i % 3);
      const double near = 1 + 0.3 * std::sin(static_cast<double>(i));
      p[i] =
          i % 11 == 10 ? 1e-9 * near : (counts[i] + (i % 5 == 0 ? 0.01 : 0)) * near / exposures[i];
      if (i % 5 == 0 && i % 13 == 12) p[i] = -1e-12;
    }
    const element::PoissonDeviance term;
    Sums expected{};
    for (Index i = 0; i < size; ++i) add_to(expected, term(p[i], counts[i], exposures[i]));
    const Sums found = sum_values(term, p, counts, exposures);
    // Each logarithm is right to some units in the last place, and so is each sum.
    const double rounding = static_cast<double>(size) * std::numeric_limits<double>::epsilon();
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k], expected[k], rounding * (expected[0] + expected[1]))
          << size << " " << k;
    }
  }
  const Vector<double> impossible = Vector<double>::Zero(9), ones = Vector<double>::Ones(9);
  EXPECT_EQ(sum_values(element::PoissonDeviance{}, impossible, ones, ones)[0],
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace projfgd::test

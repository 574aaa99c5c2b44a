// Measurements that are split over ranks: the same numbers as one process has, whatever the number
// of ranks, and the same bits on all of them.
#include "projfgd/operators/split.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <optional>

#include "projfgd/core/composite.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/operators/coded_diffraction.hpp"
#include "projfgd/operators/rank_one.hpp"
#include "support/support.hpp"
#include "support/thread_ranks.hpp"

namespace projfgd::test {
namespace {

using S = std::complex<double>;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr Index n = 6, m = 13;
constexpr int rank_counts[] = {1, 2, 3, 5, 17};  // 13 are uneven parts of each, and too few for 17

Matrix<S> vectors() { return random_factor<S>(n, m, 3).adjoint(); }

/// A problem of 13 measurements of which this rank has a part.
struct SplitProblem {
  explicit SplitProblem(const Ranks& ranks, bool counts)
      : parts(std::make_shared<const Parts>(equal_parts(ranks, m))) {
    RankOneOperator<S>(vectors()).forward(random_factor<S>(n, 2, 4), y);
    std::optional<AnyOperator<S>> own;
    std::optional<AnyLoss<double>> own_loss;
    if (parts->count() > 0) {
      own = RankOneOperator<S>(vectors().middleRows(parts->begin(), parts->count()));
      own_loss = loss(parts->mine(y), counts);
    }
    op.emplace(parts, PartOperator<S>(parts, own, n));
    split_loss.emplace(loss(y, counts), PartLoss<double>(parts, own_loss, !counts));
  }
  static AnyLoss<double> loss(const Vector<double>& y, bool counts) {
    if (counts) return Poisson<double>(y, Vector<double>::Ones(y.size()));
    return LeastSquares<double>(y);
  }

  std::shared_ptr<const Parts> parts;
  Vector<double> y;
  std::optional<SplitOperator<S>> op;
  std::optional<SplitLoss<double>> split_loss;
};

TEST(SplitMeasurements, AreThoseOfOneProcess) {
  const RankOneOperator<S> plain(vectors());
  const Matrix<S> u = random_factor<S>(n, 2, 1), d = random_factor<S>(n, 2, 2);
  Vector<double> y, cross;
  plain.forward(u, y);
  plain.forward(u, d, cross);
  Matrix<S> g;
  plain.adjoint_times(y, d, g);
  for (const int count : rank_counts) {
    on_ranks(count, [&](const Ranks& ranks) {
      const SplitProblem problem(ranks, false);
      Vector<double> split, split_cross;
      problem.op->forward(u, split);
      problem.op->forward(u, d, split_cross);
      Matrix<S> split_g;
      problem.op->adjoint_times(split, d, split_g);
      EXPECT_LE((split - y).norm(), 30 * epsilon * y.norm());
      EXPECT_LE((split_cross - cross).norm(), 30 * epsilon * cross.norm());
      EXPECT_LE((split_g - g).norm(), 30 * epsilon * std::sqrt(double(m)) * g.norm());
      Matrix<S> of_root = split_g;
      ranks.broadcast(of_root.data(), sizeof(S) * static_cast<std::size_t>(of_root.size()));
      EXPECT_TRUE(of_root == split_g);
    });
  }
}

TEST(SplitMeasurements, GiveAnObjectiveItsValuesGradientsAndLineSearches) {
  for (const bool counts : {false, true}) {
    const RankOneOperator<S> plain(vectors());
    const AnyOperator<S> op(plain);
    const Matrix<S> u = random_factor<S>(n, 2, 1), d = 0.1 * random_factor<S>(n, 2, 2);
    const auto numbers = [&](auto& f) {
      Matrix<S> g;
      std::vector<double> out = {f.at(u), f.scale_minimum()};
      f.at(u);
      out.push_back(f.at(u + d));
      f.line(u, d);
      out.push_back(f.line_minimum(10));
      out.push_back(f.move_on_line(0.3));
      f.gradient_times(u, g);
      out.push_back(norm(g));
      return out;
    };
    const SplitProblem whole(alone(), counts);
    Composite<AnyOperator<S>, AnyLoss<double>> f(op, SplitProblem::loss(whole.y, counts));
    const std::vector<double> expected = numbers(f);
    for (const int count : rank_counts) {
      on_ranks(count, [&](const Ranks& ranks) {
        const SplitProblem problem(ranks, counts);
        const AnyOperator<S> part = *AnyOperator<S>(*problem.op).part();
        Composite<AnyOperator<S>, AnyLoss<double>> split(
            part, *AnyLoss<double>(*problem.split_loss).part());
        const std::vector<double> found = numbers(split);
        for (std::size_t k = 0; k < found.size(); ++k) {
          // A root of a slope is known to the root of its accuracy, and no better.
          EXPECT_NEAR(found[k], expected[k], 1e-9 * std::abs(expected[k])) << k;
        }
      });
    }
  }
}

TEST(SplitMeasurements, KeepTheirPredictionsForAnyNumberOfRanks) {
  std::string kept;
  Vector<double> all;
  const auto values = [](const SplitProblem& problem, const Matrix<S>& u) {
    Vector<double> p;
    AnyOperator<S>(*problem.op).part()->forward(u, p);
    return p;
  };
  const Matrix<S> u = random_factor<S>(n, 2, 1);
  on_ranks(3, [&](const Ranks& ranks) {
    const SplitProblem problem(ranks, false);
    std::string bytes;
    Archive archive([&](std::string_view part) { bytes.append(part); });
    Vector<double> p = values(problem, u);
    AnyLoss<double>(*problem.split_loss).part()->keep_values(archive, p);
    if (ranks.is_root()) kept = bytes;
  });
  for (const int count : rank_counts) {
    on_ranks(count, [&](const Ranks& ranks) {
      const SplitProblem problem(ranks, false);
      Archive archive(kept, "kept");
      Vector<double> p;
      AnyLoss<double>(*problem.split_loss).part()->keep_values(archive, p);
      const Vector<double> expected = values(problem, u);
      EXPECT_EQ(p.size(), expected.size());
      EXPECT_LE((p - expected).norm(), 30 * epsilon * expected.norm());
    });
  }
}

TEST(SplitBlocks, AreThoseOfOneProcess) {
  constexpr Index side = 8, masks = 5;
  const Matrix<S> values = random_factor<S>(side * side, masks, 5);
  const auto mask = [&] {
    return Masks<S>(masks, side * side, {values.data(), values.data() + values.size()});
  };
  const CodedDiffractionOperator<S> plain(side, side, mask());
  const Matrix<S> z = random_factor<S>(side * side, 1, 1), d = random_factor<S>(side * side, 1, 2);
  Vector<double> y, cross;
  plain.forward(z, y);
  plain.forward(z, d, cross);
  Matrix<S> g, step;
  plain.adjoint_times(y, d, g);
  Vector<S> image(plain.measurements());
  plain.apply(z, element::Store{}, image);
  const double misfit = plain.pass(z, element::AmplitudeStep{}, step, std::as_const(y));
  const Index products = plain.products();
  for (const int count : rank_counts) {
    on_ranks(count, [&](const Ranks& ranks) {
      CodedDiffractionOperator<S> split(side, side, mask());
      split.split_over(ranks);
      Vector<double> split_y, split_cross;
      split.forward(z, split_y);
      split.forward(z, d, split_cross);
      EXPECT_TRUE(split_y == y);  // each is computed by one rank
      EXPECT_TRUE(split_cross == cross);
      Matrix<S> split_g, split_step;
      split.adjoint_times(y, d, split_g);
      Vector<S> split_image(plain.measurements());
      split.apply(z, element::Store{}, split_image);
      const double sum = split.sum(element::Product{}, y, y);  // not of other ranks' rows
      EXPECT_NEAR(sum, dot(y, y), 30 * epsilon * sum);
      split.complete(split_image);
      EXPECT_TRUE(split_image == image);
      EXPECT_NEAR(split.pass(z, element::AmplitudeStep{}, split_step, std::as_const(y)), misfit,
                  30 * epsilon * misfit);
      const double bound = 30 * epsilon * std::sqrt(double(masks));
      EXPECT_LE((split_g - g).norm(), bound * g.norm());
      EXPECT_LE((split_step - step).norm(), bound * step.norm());
      EXPECT_EQ(split.products(), products);
    });
  }
}

TEST(BalancedParts, KeepGroupsTogetherAndShareTheWork) {
  on_ranks(3, [&](const Ranks& ranks) {
    const Parts parts =
        balanced_parts(ranks, {{4, 0}, {1}, {5, 2}, {3}, {6}, {7}}, {2, 1, 2, 1, 1, 1});
    // Of 8 in all a third is 2 2/3: 3, 2 and 3 are as near to it as whole groups come.
    EXPECT_EQ(parts.first, (std::vector<Index>{0, 3, 5, 8}));
    EXPECT_EQ(parts.order, (std::vector<Index>{4, 0, 1, 5, 2, 3, 6, 7}));
  });
}

}  // namespace
}  // namespace projfgd::test

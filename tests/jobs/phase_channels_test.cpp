#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "jobs/phase/channels.hpp"

namespace projfgd {
namespace {

using Channel = Result<Matrix<double>>;

/// Ended after trace.size() - 1 iterations, a second each.
Channel channel(double value, Status status, std::vector<double> errors) {
  Channel one;
  one.factor = Matrix<double>::Constant(2, 1, value);
  one.status = status;
  one.message = std::string(to_string(status));
  one.iterations = static_cast<Index>(errors.size()) - 1;
  one.seconds = static_cast<double>(one.iterations);
  for (std::size_t t = 0; t < errors.size(); ++t) {
    const double x = errors[t];
    one.trace.push_back({static_cast<Index>(t), static_cast<double>(t), 10 * x, 2 * x, x});
  }
  one.objective = one.trace.back().objective;
  return one;
}

Channel dark() {
  Channel one;
  one.factor = Matrix<double>::Zero(2, 1);
  one.status = Status::converged;
  return one;
}

TEST(SideBySide, AnEndedChannelKeepsItsLastRow) {
  const Channel all = side_by_side<Matrix<double>>({channel(1, Status::converged, {0.8, 0.4, 0.2}),
                                                    dark(), channel(3, Status::time_limit, {0.5})},
                                                   {3, 0, 4});
  EXPECT_EQ(all.factor, (Matrix<double>{{1, 0, 3}, {1, 0, 3}}));
  EXPECT_EQ(all.status, Status::time_limit);
  EXPECT_EQ(all.message, "time_limit");
  EXPECT_EQ(all.iterations, 2);
  EXPECT_DOUBLE_EQ(all.seconds, 2);
  EXPECT_DOUBLE_EQ(all.objective, 7);
  ASSERT_EQ(all.trace.size(), 3u);
  const double first[] = {0.8, 0.4, 0.2};
  for (std::size_t t = 0; t < 3; ++t) {
    const TraceRow& row = all.trace[t];
    EXPECT_EQ(row.iteration, static_cast<Index>(t));
    EXPECT_DOUBLE_EQ(row.seconds, static_cast<double>(t));
    EXPECT_DOUBLE_EQ(row.objective, 10 * (first[t] + 0.5));
    EXPECT_DOUBLE_EQ(row.relative_change, 2 * std::max(first[t], 0.5));
    EXPECT_DOUBLE_EQ(row.relative_error, std::hypot(3 * first[t], 4 * 0.5) / 5);
  }
}

TEST(SideBySide, ADarkChannelOfALitTruthIsAllError) {
  const Channel all =
      side_by_side<Matrix<double>>({channel(1, Status::converged, {0}), dark()}, {3, 4});
  EXPECT_EQ(all.status, Status::converged);
  EXPECT_DOUBLE_EQ(all.trace.at(0).relative_error, 0.8);
}

TEST(SideBySide, WithoutATruthThereIsNoError) {
  const Channel one = channel(1, Status::converged, {0.5, 0.25});
  const Channel two = side_by_side<Matrix<double>>({one, one}, {});
  EXPECT_TRUE(std::isnan(two.trace.at(1).relative_error));
  EXPECT_DOUBLE_EQ(two.objective, 5);
  EXPECT_EQ(side_by_side<Matrix<double>>({one}, {}).factor, one.factor);
}

}  // namespace
}  // namespace projfgd

#include "projfgd/io/charts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/support.hpp"

namespace projfgd {
namespace {

std::vector<double> normal_numbers(Index count) {
  const Vector<double> v = test::random_vector<double>(count, 5);
  return {v.begin(), v.end()};
}

TEST(Charts, HistogramCountsEveryValueOnce) {
  for (const Index count : {1, 7, 1000}) {
    for (const bool normal : {false, true}) {
      std::vector<double> values = normal_numbers(count);
      values.push_back(50);  // an outlier is counted too
      const Chart chart = charts::histogram("", values, {"x"}, normal);
      const std::vector<double> heights = chart.data[0]["y"];
      EXPECT_EQ(std::accumulate(heights.begin(), heights.end(), 0.0), count + 1);
    }
  }
}

TEST(Charts, NormalCurveHasTheAreaOfTheBars) {
  const Chart chart = charts::histogram("", normal_numbers(1000), {"x"}, true);
  const double width = chart.data[0]["width"];
  const std::vector<double> curve = chart.data[1]["y"];
  const double step = 8.0 / static_cast<double>(curve.size() - 1);
  const double area = step * std::accumulate(curve.begin(), curve.end(), 0.0);
  // The curve is cut at 4 standard deviations, beyond which lies 6.4e-5 of it.
  EXPECT_NEAR(area / (1000 * width), 1, 1e-4);
}

TEST(Charts, AgreementKeepsTheWorstPointsWhenItDropsSome) {
  constexpr std::size_t points = 20000;
  std::vector<double> x(points), y(points), sigma(points, 0.01);
  for (std::size_t i = 0; i < points; ++i) x[i] = y[i] = static_cast<double>(i) / points;
  y[12345] += 0.5;
  const Chart chart = charts::agreement("", x, y, sigma, {"x"}, {"y"});
  const std::vector<double> drawn = chart.data.back()["y"];
  EXPECT_LE(drawn.size(), 3000u);
  EXPECT_NEAR(*std::max_element(drawn.begin(), drawn.end()), y[12345], 1e-6);
  EXPECT_NE(chart.caption.find("20,000"), std::string::npos);
}

TEST(Charts, BandsAreAsWideAsTheStandardErrors) {
  const std::vector<double> x = {0, 0.5, 1}, sigma = {0.1, 0.2, 0.1};
  const Chart chart = charts::agreement("", x, x, sigma, {"x"}, {"y"});
  EXPECT_EQ(chart.data[0]["y"], nlohmann::ordered_json({-0.2, 0.1, 0.8, 1.2, 0.9, 0.2}));
  EXPECT_EQ(chart.data[1]["y"], nlohmann::ordered_json({-0.1, 0.3, 0.9, 1.1, 0.7, 0.1}));
  EXPECT_EQ(charts::agreement("", x, x, {}, {"x"}, {"y"}).data.size(), 2u);
}

TEST(Charts, EmptyAndConstantDataAreLegal) {
  EXPECT_NO_THROW(charts::histogram("", {}, {"x"}, true));
  EXPECT_NO_THROW(charts::agreement("", {}, {}, {}, {"x"}, {"y"}));
  const Chart chart = charts::histogram("", {2, 2, 2}, {"x"}, false);
  const std::vector<double> heights = chart.data[0]["y"];
  EXPECT_EQ(std::accumulate(heights.begin(), heights.end(), 0.0), 3);
  EXPECT_NO_THROW(charts::agreement("", {1, 1}, {1, 2}, {0, 0}, {"x"}, {"y"}));
}

// Between 0.2 and 0.3 a log axis would say 2 and 3.
TEST(Charts, NarrowLogAxesHaveWholeNumbers) {
  const auto layout = [](double high) {
    const std::vector<charts::Line> lines = {{"a", {1, 2, 3}, {0.2, 0, high}}};
    return charts::lines("", lines, {"x"}, {"y", true}).layout["yaxis"];
  };
  EXPECT_TRUE(layout(0.3).contains("tickformat"));
  EXPECT_FALSE(layout(30).contains("tickformat"));
}

}  // namespace
}  // namespace projfgd

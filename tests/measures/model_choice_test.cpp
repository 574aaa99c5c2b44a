#include "projfgd/measures/model_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace projfgd::test {
namespace {

TEST(ModelChoice, PenaltiesCountParametersBeyondAPureState) {
  EXPECT_EQ(model_penalty({1, false}, 8, 100), 0);
  EXPECT_NEAR(model_penalty({2, false}, 8, 100), 2 * 13, 1e-12);  // 2 n r - r^2 - (2 n - 1)
  EXPECT_NEAR(model_penalty({3, false}, 8, 100), 2 * 24, 1e-12);
  EXPECT_NEAR(model_penalty({1, true}, 8, 100), std::log(100.0) / 2, 1e-12);
  EXPECT_NEAR(model_penalty({8, false}, 8, 100), 1.3 * 48 + std::log(100.0) / 2, 1e-12);
}

TEST(ModelChoice, WeighsModelsByTheirPenalisedLikelihood) {
  const std::vector<FittedModel> models{{{1, false}, -100}, {{1, true}, -95}, {{2, false}, -90}};
  const std::vector<double> weights = model_weights(models, 4, 400);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
  EXPECT_NEAR(weights[1] / weights[0], std::exp(5) / 20, 1e-9);
  EXPECT_NEAR(weights[2] / weights[0], 1, 1e-9);  // ten nats for five parameters at two each
}

TEST(ModelChoice, LeavesOutWhatHasNoWeight) {
  const std::vector<double> weights =
      model_weights({{{1, false}, -100}, {{2, false}, -99}}, 8, 100);
  EXPECT_EQ(weights[0], 1);
  EXPECT_EQ(weights[1], 0);
}

}  // namespace
}  // namespace projfgd::test

#include "projfgd/losses/background.hpp"

#include <gtest/gtest.h>

#include "projfgd/losses/poisson.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

TEST(Background, IsPartOfTheMean) {
  const Vector<double> counts = (Vector<double>(3) << 4, 0, 7).finished();
  const Vector<double> exposures = (Vector<double>(3) << 1, 2, 3).finished();
  const Vector<double> background = (Vector<double>(3) << 0.5, 1, 0).finished();
  const Poisson<double> plain(counts, exposures);
  const WithBackground loss(plain, background);
  const Vector<double> p = random_vector<double>(3, 1).cwiseAbs();
  EXPECT_EQ(loss.value(p), plain.value(p + background));
  Vector<double> w, expected;
  loss.gradient(p, w);
  plain.gradient(p + background, expected);
  EXPECT_EQ(w, expected);
  loss.curvature(p, w);
  plain.curvature(p + background, expected);
  EXPECT_EQ(w, expected);
  loss.start_weights(w);
  EXPECT_EQ(w, counts);
}

}  // namespace
}  // namespace projfgd::test

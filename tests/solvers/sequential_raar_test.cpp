#include "projfgd/solvers/sequential_raar.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "projfgd/constraints/none.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"
#include "projfgd/starts/phase.hpp"
#include "support/phase_scene.hpp"

namespace projfgd::test {
namespace {

TEST(SequentialRaar, FindsImagesOfThreePatternsWherePassesDoNot) {
  int found = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Scene scene(24, 20, 3, 480, true, seed);
    const F start = random_phase_start(scene.op, scene.y, seed);
    const Unconstrained none;
    const auto result = sequential_raar(scene.op, scene.amplitude, none, start, limits(800, 1e-7));
    found += error(result.factor, scene.truth) <= 1e-4 ? 1 : 0;
    const auto passes =
        block_kaczmarz(scene.op, scene.amplitude, none, none, start, limits(800, 1e-7));
    others += error(passes.factor, scene.truth) <= 1e-2 ? 1 : 0;
  }
  EXPECT_GE(found, 7);
  EXPECT_LE(others, 2);
}

// A sweep goes on where the last one ended, however many are made at once.
TEST(SequentialRaar, StopsAndGoesOn) {
  Scene scene(12, 10, 4, 120, true, 3);
  const F start = random_phase_start(scene.op, scene.y, 3);
  SequentialRaar parts(scene.op, scene.amplitude, Unconstrained{}, start);
  sequential_raar(parts, limits(4, 0));
  sequential_raar(parts, limits(6, 0));
  const auto whole =
      sequential_raar(scene.op, scene.amplitude, Unconstrained{}, start, limits(10, 0));
  EXPECT_EQ(parts.sweeps(), 10);
  EXPECT_EQ(parts.point(), whole.factor);
}

// Each pattern costs one product and one adjoint a sweep, the first sweep too.
TEST(SequentialRaar, CostsTwoProductsABlock) {
  Scene scene(12, 10, 4, 120, true, 3);
  const Index before = scene.op.products();
  sequential_raar(scene.op, scene.amplitude, Unconstrained{},
                  random_phase_start(scene.op, scene.y, 3), limits(5, 0));
  EXPECT_EQ(scene.op.products() - before, 5 * 2 * 4);
}

TEST(SequentialRaar, DoesNotTakeWhatWasNotMeasuredForDark) {
  Scene scene(24, 20, 6, 480, true, 5);
  std::vector<std::uint8_t> marks(static_cast<std::size_t>(scene.op.measurements()), 0);
  for (std::size_t i = 0; i < marks.size(); i += 7) marks[i] = 1;
  scene.op.leave_out(marks);
  Vector<double> amplitude = scene.amplitude;
  for (std::size_t i = 0; i < marks.size(); i += 7) amplitude[static_cast<Index>(i)] = 0;
  const auto result = sequential_raar(scene.op, amplitude, Unconstrained{},
                                      random_phase_start(scene.op, scene.y, 5), limits(600, 1e-8));
  EXPECT_LE(error(result.factor, scene.truth), 1e-4);
}

}  // namespace
}  // namespace projfgd::test

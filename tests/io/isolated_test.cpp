#include "io/isolated.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "projfgd/core/error.hpp"

namespace projfgd {
namespace {

/// Whether a process that may take so much, and may have been allowed more or less before, gets
/// this memory.
bool can_take(std::size_t bytes, std::initializer_list<double> allowed) {
  bool taken = false;
  const auto work = [&](const Send& send) {
    for (const double most : allowed) limit_isolated(most, 60);
    void* const memory =
        std::malloc(bytes);  // NOLINT(cppcoreguidelines-no-malloc): as libraries do
    if (memory != nullptr) send({});
    std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
  };
  try {
    run_isolated(
        work, [&](std::string_view) { taken = true; }, "ended by a sanitizer");
  } catch (const InputError&) {
  }
  return taken;
}

TEST(Isolated, TakesNoMoreMemoryThanItMay) {
  constexpr std::size_t half = std::size_t{1} << 29;
  EXPECT_TRUE(can_take(half, {}));
  EXPECT_FALSE(can_take(half, {0x1p28}));
  EXPECT_TRUE(can_take(half, {0x1p28, 0x1p30}));
  EXPECT_FALSE(can_take(half, {0x1p30, 0x1p28}));
}

TEST(Isolated, EndsWhenItsTimeIsOver) {
  const auto endless = [](const Send&) {
    limit_isolated(0x1p28, 1);
    for (volatile bool done = false; !done;) {
    }
  };
  EXPECT_THROW(run_isolated(
                   endless, [](std::string_view) {}, "took too long"),
               InputError);
}

}  // namespace
}  // namespace projfgd

// With a real device: nobody counts its memory here, and what is asked of it holds of nothing.
#include <gtest/gtest.h>

#include "projfgd/device/devices.hpp"
#include "support/device_memory.hpp"

namespace projfgd::test {
namespace {

/// Skips all tests, and says why, on a machine without one.
class NeedsDevice : public ::testing::Environment {
  void SetUp() override {
    if (device::count() == 0) GTEST_SKIP() << device::why_none();
  }
};

[[maybe_unused]] const auto* const needs_device =
    ::testing::AddGlobalTestEnvironment(new NeedsDevice);

}  // namespace

std::size_t most_device_memory() { return 0; }
std::size_t copies_of_device(std::size_t) { return 0; }
std::size_t waits_for_device() { return 0; }

}  // namespace projfgd::test

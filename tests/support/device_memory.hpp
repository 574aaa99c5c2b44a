#pragma once

#include <cstddef>

namespace projfgd::test {

/// Where the device is the host: the most bytes that were in use at once since the last call, above
/// those that are in use now.
std::size_t most_device_memory();

}  // namespace projfgd::test

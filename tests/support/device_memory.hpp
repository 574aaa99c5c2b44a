#pragma once

#include <cstddef>

namespace projfgd::test {

/// Where the device is the host: the most bytes that were in use at once since the last call, above
/// those that are in use now.
std::size_t most_device_memory();

/// How often at least so many bytes were copied between it and the program since the last call.
std::size_t copies_of_device(std::size_t bytes = 0);

/// How often the program waited for the device's answer since the last call.
std::size_t waits_for_device();

}  // namespace projfgd::test

#pragma once

#include <memory>

#include "projfgd/jobs/place.hpp"

namespace projfgd {

/// The device of that number, 0 <= index < device::count().
std::shared_ptr<const Place> open_device(int index);

}  // namespace projfgd

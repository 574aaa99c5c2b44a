// Of a program without CUDA: nobody opens a device where there is none.
#include "jobs/place/devices.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/devices.hpp"

namespace projfgd {

std::shared_ptr<const Place> open_device(int) { throw InputError(device::why_none()); }

}  // namespace projfgd

// Of a program with CUDA.
#include "jobs/place/device_place.hpp"
#include "jobs/place/devices.hpp"
#include "projfgd/device/devices.hpp"

namespace projfgd {

std::shared_ptr<const Place> open_device(int index) {
  device::select(index);
  return std::make_shared<DevicePlace>(device::name(index), device::free_memory);
}

}  // namespace projfgd

#include "support/emulated_place.hpp"

#include "jobs/place/device_place.hpp"

namespace projfgd::test {

std::shared_ptr<const Place> emulated(double memory) {
  return std::make_shared<DevicePlace>("loops on the host", [memory] { return memory; });
}

}  // namespace projfgd::test

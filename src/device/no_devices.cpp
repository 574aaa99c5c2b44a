// What a library without CUDA knows of devices: that it has none.
#include "projfgd/core/error.hpp"
#include "projfgd/device/devices.hpp"

namespace projfgd::device {
namespace {

[[noreturn]] void refuse() { throw InputError(why_none()); }

}  // namespace

std::string backend() { return {}; }
int count() { return 0; }
std::string why_none() {
  return "this program was built without CUDA (cmake --preset cuda builds it with CUDA)";
}
std::string name(int) { refuse(); }
void select(int) { refuse(); }
double free_memory() { refuse(); }

}  // namespace projfgd::device

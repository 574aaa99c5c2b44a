// A device that is the host: memory from the heap, and kernels that are loops. What the tests of
// this folder run is the text that nvcc compiles, launch for launch.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "device/launch.hpp"
#include "projfgd/device/memory.hpp"
#include "support/device_memory.hpp"

namespace projfgd::device {
namespace {

/// In front of each piece, which stays aligned behind it.
struct alignas(std::max_align_t) Size {
  std::size_t bytes;
};
std::size_t in_use = 0, most = 0;
std::vector<std::size_t> copied;  // bytes of each copy
std::size_t waits = 0;

}  // namespace

void* allocate(std::size_t bytes) {
  auto* piece = static_cast<Size*>(std::malloc(sizeof(Size) + bytes));
  if (piece == nullptr) throw std::bad_alloc();
  piece->bytes = bytes;
  most = std::max(most, in_use += bytes);
  std::memset(piece + 1, 0xff, bytes);  // not numbers: what is read before it is written shows
  return piece + 1;
}
void release(void* memory) noexcept {
  if (memory == nullptr) return;
  Size* const piece = static_cast<Size*>(memory) - 1;
  in_use -= piece->bytes;
  std::free(piece);
}
void copy_in(void* to, const void* from, std::size_t bytes) {
  copied.push_back(bytes);
  std::memcpy(to, from, bytes);
}
void copy_out(void* to, const void* from, std::size_t bytes) { copy_in(to, from, bytes); }
void copy_within(void* to, const void* from, std::size_t bytes) { std::memmove(to, from, bytes); }
void require_started() {}
int processors() { return 132; }  // as a large GPU has

double* scratch(Index numbers) {
  thread_local Array<double> room;
  if (room.size() < numbers) room.resize(numbers);
  return room.data();
}
double* answers(Index numbers) {
  thread_local std::vector<double> room;
  if (static_cast<Index>(room.size()) < numbers) room.resize(static_cast<std::size_t>(numbers));
  return room.data();
}
void wait() { ++waits; }

/// Another one in each phase.
int first_thread(int threads) {
  static unsigned phase = 0;
  constexpr unsigned apart = 41;
  return static_cast<int>(++phase * apart % static_cast<unsigned>(threads));
}
/// Every number becomes one that is none.
void forget(void* memory, std::size_t bytes) { std::memset(memory, 0xff, bytes); }

}  // namespace projfgd::device

namespace projfgd::test {

std::size_t most_device_memory() {
  const std::size_t found = device::most;
  device::most = device::in_use;
  return found - device::in_use;
}

std::size_t copies_of_device(std::size_t bytes) {
  const auto found = std::ranges::count_if(std::exchange(device::copied, {}),
                                           [bytes](std::size_t size) { return size >= bytes; });
  return static_cast<std::size_t>(found);
}

std::size_t waits_for_device() { return std::exchange(device::waits, 0); }

}  // namespace projfgd::test

// Devices and their memory by the CUDA runtime.
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "device/launch.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/devices.hpp"
#include "projfgd/device/memory.hpp"

namespace projfgd::device {
namespace {

std::atomic<int> selected = 0;

/// Numbers that the rooms below begin with: 256 KB, more than sums of most kinds ever ask for. To
/// pin memory takes as long as a hundred sums, so a room must not grow by a few numbers at a time.
constexpr Index first_room = Index{1} << 15;

void require_success(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not report it again
  throw ResourceError(fmt::format("GPU: {} failed: {}", what, cudaGetErrorString(status)));
}

/// The runtime remembers the device for each thread of the host.
void use_selected() {
  thread_local int mine = -1;
  const int wanted = selected;
  if (mine == wanted) return;
  require_success(cudaSetDevice(wanted), "selecting the device");
  mine = wanted;
}

}  // namespace

std::string backend() {
  return fmt::format("CUDA {}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

int count() {
  int found = 0;
  if (cudaGetDeviceCount(&found) == cudaSuccess) return found;
  cudaGetLastError();
  return 0;
}

std::string why_none() {
  int found = 0;
  const cudaError_t status = cudaGetDeviceCount(&found);
  cudaGetLastError();
  if (status == cudaErrorInsufficientDriver) {
    return fmt::format("the NVIDIA driver is missing or older than {} needs", backend());
  }
  if (status != cudaSuccess && status != cudaErrorNoDevice) {
    return fmt::format("the NVIDIA driver reports: {}", cudaGetErrorString(status));
  }
  return "this machine has no NVIDIA GPU that can be used";
}

std::string name(int index) {
  cudaDeviceProp properties;
  require_success(cudaGetDeviceProperties(&properties, index), "asking for the device's name");
  return properties.name;
}

void select(int index) {
  selected = index;
  use_selected();
}

double free_memory() {
  use_selected();
  std::size_t available = 0, total = 0;
  require_success(cudaMemGetInfo(&available, &total), "asking for the free memory");
  return static_cast<double>(available);
}

void* allocate(std::size_t bytes) {
  use_selected();
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
  cudaGetLastError();
  throw ResourceError(fmt::format("GPU memory: need {:.3g} MB more, {:.3g} MB are free",
                                  static_cast<double>(bytes) / 1e6, free_memory() / 1e6));
}

void release(void* memory) noexcept {
  if (memory != nullptr) cudaFree(memory);  // at the end of a process nobody can mend its failure
}

void copy_in(void* to, const void* from, std::size_t bytes) {
  use_selected();
  require_success(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "a copy to the device");
}
void copy_out(void* to, const void* from, std::size_t bytes) {
  use_selected();
  require_success(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost),
                  "a kernel, or the copy of its result,");
}
void copy_within(void* to, const void* from, std::size_t bytes) {
  use_selected();
  require_success(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice),
                  "a copy on the device");
}

int processors() {
  thread_local int of = -1, found = 0;
  const int wanted = selected;
  if (of == wanted) return found;
  use_selected();
  require_success(cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, wanted),
                  "asking for the multiprocessors");
  of = wanted;
  return found;
}

void require_started() { require_success(cudaGetLastError(), "starting a kernel"); }

double* scratch(Index numbers) {
  use_selected();
  thread_local Array<double> room;
  if (room.size() < numbers) room.resize(std::max(numbers, first_room));
  return room.data();
}

double* answers(Index numbers) {
  use_selected();
  struct Pinned {
    void* data = nullptr;
    Index size = 0;
    ~Pinned() {
      if (data != nullptr) cudaFreeHost(data);
    }
  };
  thread_local Pinned room;
  if (room.size < numbers) {
    if (room.data != nullptr) cudaFreeHost(std::exchange(room.data, nullptr));
    room.size = 0;
    const Index size = std::max(numbers, first_room);
    require_success(cudaHostAlloc(&room.data, sizeof(double) * static_cast<std::size_t>(size),
                                  cudaHostAllocDefault),
                    "pinning memory");
    room.size = size;
  }
  return static_cast<double*>(room.data);
}

void wait() { require_success(cudaStreamSynchronize(cudaStreamLegacy), "a kernel"); }

}  // namespace projfgd::device

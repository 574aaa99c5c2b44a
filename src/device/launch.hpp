// How kernels are run: by nvcc's compiler on a GPU, by any other as loops on the host. A kernel is
// written once. What its threads do between two barriers is a function that the block calls for
// each of them, so that the loops have to keep nothing but `Own`, what a thread remembers from one
// such phase to the next, and give the same numbers as the threads.
//
//   struct Kernel {
//     static constexpr int threads = 64;   // in a block
//     static constexpr int at_once = 4;    // blocks; may be left out
//     struct Shared { ... };               // memory of a block
//     struct Own { ... };                  // registers of a thread
//     template <class Block>
//     PROJFGD_ON_DEVICE void operator()(Block& block) const {   // the same for all its threads
//       block.each([&](int thread, Own& own, Shared& shared) { ... });   // then a barrier
//       block.each_warp([&](...) { ... });   // then a barrier among the 32 threads of a warp
//     }
//   };
//   run_blocks(count, kernel);
#pragma once

#include "projfgd/core/factor.hpp"

#if defined(__CUDACC__)
#define PROJFGD_ON_DEVICE __host__ __device__
#define PROJFGD_UNROLL _Pragma("unroll")
#define PROJFGD_KEEP_LOOP _Pragma("unroll 1")  // so that a kernel's code stays near at hand
#else
#define PROJFGD_ON_DEVICE
#define PROJFGD_UNROLL
#define PROJFGD_KEEP_LOOP
#include <vector>
#endif

namespace projfgd::device {

/// Throws ResourceError where the last kernel could not be started.
void require_started();
/// Room for what kernels hand to each other within one call, one for each thread of the host.
double* scratch(Index numbers);
/// Numbers that kernels write and the host reads after wait(), one room for each thread of the
/// host. It is the host's memory: a copy would take as long as a small kernel.
double* answers(Index numbers);
/// Waits for all that was started. Throws ResourceError for what failed.
void wait();

/// Blocks that a multiprocessor should hold at once, where a kernel says so: what hides the time
/// that memory takes.
template <class Kernel>
constexpr int blocks_at_once = 1;
template <class Kernel>
requires requires { Kernel::at_once; }
constexpr int blocks_at_once<Kernel> = Kernel::at_once;

/// Multiprocessors of the device.
int processors();
/// Blocks of a kernel that run at the same time.
template <class Kernel>
Index resident_blocks() {
  return static_cast<Index>(processors()) * blocks_at_once<Kernel>;
}

inline constexpr int loop_threads = 256;
inline constexpr Index most_blocks = 65535;  // of a loop; it strides over the rest

#if defined(__CUDACC__)

template <class Kernel>
struct GpuBlock {
  Index index;
  typename Kernel::Own& own;
  typename Kernel::Shared& shared;
  template <class Phase>
  __device__ void each(const Phase& phase) {
    phase(static_cast<int>(threadIdx.x), own, shared);
    __syncthreads();
  }
  template <class Phase>
  __device__ void each_warp(const Phase& phase) {
    phase(static_cast<int>(threadIdx.x), own, shared);
    __syncwarp();
  }
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, blocks_at_once<Kernel>)
    block_kernel(Kernel kernel) {
  extern __shared__ __align__(16) unsigned char memory[];
  typename Kernel::Own own;
  GpuBlock<Kernel> block{static_cast<Index>(blockIdx.x), own,
                         *reinterpret_cast<typename Kernel::Shared*>(memory)};
  kernel(block);
}

/// kernel(block) for the blocks 0 .. count - 1, fewer than 2^31.
template <class Kernel>
void run_blocks(Index count, const Kernel& kernel) {
  if (count == 0) return;
  constexpr std::size_t bytes = sizeof(typename Kernel::Shared), without_asking = 48 * 1024;
  if constexpr (bytes > without_asking) {
    cudaFuncSetAttribute(block_kernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(bytes));
  }
  block_kernel<<<static_cast<unsigned>(count), Kernel::threads, bytes>>>(kernel);
  require_started();
}

template <class Body>
__global__ void __launch_bounds__(loop_threads) loop_kernel(Index size, Body body) {
  const Index stride = static_cast<Index>(gridDim.x) * loop_threads;
  for (Index i = static_cast<Index>(blockIdx.x) * loop_threads + threadIdx.x; i < size;
       i += stride) {
    body(i);
  }
}

/// body(i) for i = 0 .. size - 1.
template <class Body>
void for_each(Index size, const Body& body) {
  if (size == 0) return;
  const Index blocks = (size + loop_threads - 1) / loop_threads;
  loop_kernel<<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), loop_threads>>>(
      size, body);
  require_started();
}

#else

/// Which thread of so many begins a phase, and what a block's memory holds before it. Tests choose
/// them, so that a phase shows which relies on the order of its threads, or on what another block
/// left.
int first_thread(int threads);
void forget(void* memory, std::size_t bytes);

/// From one thread to the next, through all of them: a prime that divides no number of threads.
inline constexpr int thread_step = 97;

template <class Kernel>
struct HostBlock {
  Index index;
  std::vector<typename Kernel::Own>& own;
  typename Kernel::Shared& shared;
  template <class Phase>
  void each(const Phase& phase) {
    static_assert(Kernel::threads % thread_step != 0);
    int thread = first_thread(Kernel::threads);
    for (int k = 0; k < Kernel::threads; ++k) {
      phase(thread, own[static_cast<std::size_t>(thread)], shared);
      thread = (thread + thread_step) % Kernel::threads;
    }
  }
  template <class Phase>
  void each_warp(const Phase& phase) {
    each(phase);
  }
};

template <class Kernel>
void run_blocks(Index count, const Kernel& kernel) {
  thread_local std::vector<typename Kernel::Own> own(Kernel::threads);
  thread_local std::vector<typename Kernel::Shared> shared(1);
  for (Index index = 0; index < count; ++index) {
    forget(own.data(), own.size() * sizeof(typename Kernel::Own));
    forget(shared.data(), sizeof(typename Kernel::Shared));
    HostBlock<Kernel> block{index, own, shared[0]};
    kernel(block);
  }
}

template <class Body>
void for_each(Index size, const Body& body) {
  for (Index i = 0; i < size; ++i) body(i);
}

#endif

}  // namespace projfgd::device

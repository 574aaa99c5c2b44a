#pragma once

#include <cstddef>

namespace projfgd::bench {

/// Runs independent chains of fused multiply-adds in registers, with the widest vectors of this
/// processor, on the calling thread. Returns the floating-point operations done, two for each
/// multiply-add and lane.
template <class T>
double run_fma_loop(std::size_t rounds);

/// The instruction set the kernels were dispatched to, "AVX3" for example.
const char* instruction_set();

}  // namespace projfgd::bench

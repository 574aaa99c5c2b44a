#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "bench/fma_loop.hpp"
#include "projfgd/core/threads.hpp"

namespace projfgd::bench {

/// All threads in the loop of multiply-adds at once; returns the operations they did together.
template <class T>
double fma_on_all_threads(std::size_t rounds) {
  std::vector<double> done(static_cast<std::size_t>(threads()));
  parallel_for(static_cast<Index>(done.size()),
               [&](Index k) { done[static_cast<std::size_t>(k)] = run_fma_loop<T>(rounds); });
  return std::accumulate(done.begin(), done.end(), 0.0);
}

}  // namespace projfgd::bench

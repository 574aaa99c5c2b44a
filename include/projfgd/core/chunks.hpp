// Loops over fixed chunks. What a chunk computes does not depend on which thread runs it, so sums
// taken chunk by chunk have the same bits for any number of threads.
#pragma once

#include <algorithm>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Calls body(k, begin, length) for every chunk of [0, size), on several threads when there are at
/// least `worth_threads` chunks.
template <class Body>
void for_each_chunk(Index size, Index chunk, Index worth_threads, const Body& body) {
  const Index chunks = (size + chunk - 1) / chunk;
#pragma omp parallel for schedule(static) if (chunks >= worth_threads)
  for (Index k = 0; k < chunks; ++k) {
    const Index begin = k * chunk;
    body(k, begin, std::min(chunk, size - begin));
  }
}

}  // namespace projfgd

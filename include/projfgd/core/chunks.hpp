// Loops over fixed chunks. What a chunk computes does not depend on which thread runs it, so sums
// taken chunk by chunk have the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <array>

#include "projfgd/core/threads.hpp"

namespace projfgd {

/// Calls body(k, begin, length) for every chunk of [0, size), on several threads when there are at
/// least `worth_threads` chunks.
template <class Body>
void for_each_chunk(Index size, Index chunk, Index worth_threads, const Body& body) {
  const Index chunks = (size + chunk - 1) / chunk;
  parallel_for_if(chunks >= worth_threads, chunks, [&](Index k) {
    const Index begin = k * chunk;
    body(k, begin, std::min(chunk, size - begin));
  });
}

inline constexpr Index sum_chunk = Index{1} << 14;
inline constexpr Index sum_chunks_worth_threads = 8;

/// Calls add(body(begin, count)) for fixed pieces of [0, size): bodies in parallel, a batch at a
/// time, and what they return in order. Takes nothing from the heap.
template <Index chunk, class Body, class Add>
void add_chunks(Index size, Index worth_threads, const Body& body, const Add& add) {
  constexpr Index batch = 64;
  std::array<decltype(body(Index{}, Index{})), batch> parts;
  for (Index first = 0; first < size; first += batch * chunk) {
    const Index here = std::min(batch * chunk, size - first);
    for_each_chunk(here, chunk, worth_threads, [&](Index k, Index begin, Index count) {
      parts[static_cast<std::size_t>(k)] = body(first + begin, count);
    });
    for (Index k = 0; k * chunk < here; ++k) add(parts[static_cast<std::size_t>(k)]);
  }
}
template <class Body, class Add>
void add_chunks(Index size, const Body& body, const Add& add) {
  add_chunks<sum_chunk>(size, sum_chunks_worth_threads, body, add);
}

}  // namespace projfgd

#include "projfgd/core/sums.hpp"

#include "projfgd/core/chunks.hpp"

namespace projfgd {

void for_chunks(Index size, FunctionRef<void(Index, Index)> body) {
  for_each_chunk(size, sum_chunk, sum_chunks_worth_threads,
                 [&](Index, Index begin, Index count) { body(begin, count); });
}

Sums sum_chunks(Index size, FunctionRef<Sums(Index, Index)> body) {
  Sums total{};
  add_chunks(size, body, [&](const Sums& part) { add_to(total, part); });
  return total;
}

}  // namespace projfgd

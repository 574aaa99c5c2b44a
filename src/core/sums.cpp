#include "projfgd/core/sums.hpp"

#include "projfgd/core/chunks.hpp"

namespace projfgd {

Sums sum_chunks(Index size, FunctionRef<Sums(Index, Index)> body) {
  Sums total{};
  add_chunks(size, body, [&](const Sums& part) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
  });
  return total;
}

}  // namespace projfgd

#include <fmt/format.h>

#include "bench/fma_threads.hpp"
#include "bench/sections.hpp"
#include "projfgd/core/threads.hpp"

namespace projfgd::bench {
namespace {

template <class T>
Row rate(const Context& context, const char* what, int qubits, Index rank, double operations,
         const std::function<void()>& product) {
  constexpr std::size_t rounds = 200'000;
  double done = 0;
  const Comparison c = compare_times(
      product, [&] { done = fma_on_all_threads<T>(rounds); }, context.repeats);
  const double scale = operations / done;  // ratio of times to ratio of rates
  const bool single = sizeof(T) == 4;
  Row row{"pauli",
          fmt::format("{} q={} r={} {}", what, qubits, rank, single ? "single" : "double"),
          c.ratio.median * scale,
          "of the FMA rate",
          c.ratio.spread * scale,
          c.best * scale};
  row.most = 1;
  if (!single && rank == 1 && qubits >= 12) row.target = 0.3;
  if (!single && rank == 20 && qubits >= 10 && qubits <= 12) row.target = 0.5;
  row.details = {{"milliseconds", 1e3 * c.first.median},
                 {"operations", operations},
                 {"gigaflops", operations / c.first.median / 1e9},
                 {"fma_gigaflops", done / c.second.median / 1e9},
                 {"threads", threads()}};
  return row;
}

template <class T>
bool rates(const Context& context, int qubits, Index rank) {
  PauliCase<T> problem(qubits, rank, 3.0, context.options.seed);
  const Operations count = operations(problem.op().groups(), qubits, rank);
  return context.emit(rate<T>(context, "forward", qubits, rank, count.forward,
                              [&] { problem.forward(); })) &&
         context.emit(
             rate<T>(context, "adjoint", qubits, rank, count.adjoint, [&] { problem.adjoint(); }));
}

}  // namespace

bool run_pauli_rates(const Context& context) {
  const bool quick = context.options.quick;
  for (const Index rank : {1, 5, 20}) {
    const int last = quick ? (rank == 1 ? 12 : 10) : (rank == 20 ? 13 : 14);
    for (int qubits = 8; qubits <= last; qubits += quick ? 2 : 1) {
      if (!rates<double>(context, qubits, rank)) return false;
    }
  }
  return rates<float>(context, 12, 1) && rates<float>(context, 10, 20);
}

}  // namespace projfgd::bench

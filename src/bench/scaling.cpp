#include <fmt/format.h>

#include <cmath>

#include "bench/fma_threads.hpp"
#include "bench/sections.hpp"
#include "projfgd/core/threads.hpp"

namespace projfgd::bench {
namespace {

bool emit_ratio(const Context& context, const std::string& name, const Comparison& c,
                double target) {
  Row row{"scaling", name, c.ratio.median, "times faster", c.ratio.spread, c.best, target};
  row.details = {{"milliseconds", 1e3 * c.first.median},
                 {"slower_milliseconds", 1e3 * c.second.median}};
  return context.emit(row);
}

/// What the machine allows: a loop in registers, which shares nothing but the cores. Where two of
/// them are the two threads of one core, it is half of what their number says.
bool fma_threads_over_one(const Context& context, int count) {
  constexpr std::size_t rounds = 2'000'000;
  const auto on = [](int threads_used) {
    return [threads_used] {
      set_threads(threads_used);
      fma_on_all_threads<double>(rounds);
    };
  };
  Comparison c = compare_times(on(count), on(1), context.repeats);
  set_threads(count);
  for (double* value : {&c.ratio.median, &c.ratio.spread, &c.best}) *value *= count;
  return emit_ratio(context, fmt::format("{} threads over 1, multiply-adds", count), c, unset);
}

bool threads_over_one(const Context& context, int qubits, Index rank, int count) {
  PauliCase<double> problem(qubits, rank, 3.0, context.options.seed);
  const auto with = [](int threads_used, const std::function<void()>& product) {
    return [threads_used, product] {
      set_threads(threads_used);
      product();
    };
  };
  const double target = qubits >= 12 ? 0.85 * count : unset;
  bool go_on = true;
  const std::pair<const char*, std::function<void()>> products[] = {
      {"forward", [&] { problem.forward(); }}, {"adjoint", [&] { problem.adjoint(); }}};
  for (const auto& [what, product] : products) {
    const Comparison c = compare_times(with(count, product), with(1, product), context.repeats);
    const auto name = fmt::format("{} threads over 1, {} q={} r={}", count, what, qubits, rank);
    go_on = go_on && emit_ratio(context, name, c, target);
  }
  set_threads(count);
  return go_on;
}

bool single_over_double(const Context& context, int qubits, Index rank) {
  PauliCase<double> wide(qubits, rank, 3.0, context.options.seed);
  PauliCase<float> narrow(qubits, rank, 3.0, context.options.seed);
  const auto name = [&](const char* what) {
    return fmt::format("single over double, {} q={} r={}", what, qubits, rank);
  };
  return emit_ratio(
             context, name("forward"),
             compare_times([&] { narrow.forward(); }, [&] { wide.forward(); }, context.repeats),
             unset) &&
         emit_ratio(
             context, name("adjoint"),
             compare_times([&] { narrow.adjoint(); }, [&] { wide.adjoint(); }, context.repeats),
             unset);
}

/// Slope of log time against log size, by least squares.
double exponent(const std::vector<double>& sizes, const std::vector<double>& times) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double count = static_cast<double>(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double x = std::log(sizes[i]), y = std::log(times[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

struct Size {
  int qubits;
  Index rank, strings;
};

bool growth(const Context& context, const std::string& name, const std::vector<Size>& sizes,
            double (*measure)(const Size&)) {
  std::vector<double> at, forward, adjoint;
  for (const Size& size : sizes) {
    PauliCase<double> problem(size.qubits, size.rank, size.strings, context.options.seed);
    const Comparison c =
        compare_times([&] { problem.forward(); }, [&] { problem.adjoint(); }, context.repeats);
    at.push_back(measure(size));
    forward.push_back(c.first.median);
    adjoint.push_back(c.second.median);
  }
  const auto row = [&](const char* what, const std::vector<double>& times) {
    Row r{"growth", fmt::format("{} {}", what, name), exponent(at, times), "exponent"};
    r.higher_is_better = false;
    r.details = {{"sizes", at}, {"seconds", times}};
    return r;
  };
  return context.emit(row("forward", forward)) && context.emit(row("adjoint", adjoint));
}

}  // namespace

bool run_scaling(const Context& context) {
  const int count = threads();
  if (count > 1 && !fma_threads_over_one(context, count)) return false;
  const std::vector<int> sizes =
      context.options.quick ? std::vector{12} : std::vector{10, 12, 13, 14};
  for (const int qubits : sizes) {
    if (count > 1 && !threads_over_one(context, qubits, 1, count)) return false;
  }
  if (count > 1 && !threads_over_one(context, context.options.quick ? 10 : 12, 20, count)) {
    return false;
  }
  return single_over_double(context, 12, 1) && single_over_double(context, 10, 20);
}

bool run_growth(const Context& context) {
  const int largest = context.options.quick ? 12 : 14;
  std::vector<Size> in_n, in_m, in_r;
  for (int q = largest - 4; q <= largest; ++q) in_n.push_back({q, 1, Index{1} << 10});
  for (Index m = Index{1} << 10; m <= Index{1} << 15; m *= 2) in_m.push_back({11, 1, m});
  for (Index r = 1; r <= 32; r *= 2) in_r.push_back({10, r, Index{3} << 10});
  return growth(context, "in n, 1024 strings, r=1", in_n,
                [](const Size& s) { return std::exp2(s.qubits); }) &&
         growth(context, "in m, q=11, r=1", in_m,
                [](const Size& s) { return static_cast<double>(s.strings); }) &&
         growth(context, "in r, q=10, 3072 strings", in_r,
                [](const Size& s) { return static_cast<double>(s.rank); });
}

}  // namespace projfgd::bench

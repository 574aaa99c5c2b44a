#include "bench/timing.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "projfgd/core/stopwatch.hpp"

namespace projfgd::bench {

double seconds(const std::function<void()>& call) {
  const Stopwatch watch;
  call();
  return watch.seconds();
}

Statistic statistic(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double p) {
    const double at = p * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
  };
  return {quantile(0.5), (quantile(0.75) - quantile(0.25)) / 2};
}

namespace {

/// What the first rank has measured.
double at_first(const Ranks& ranks, double measured) {
  ranks.broadcast(&measured, sizeof measured);
  return measured;
}

/// Calls in one measurement: enough for a millisecond. Warms caches on the way.
int calls_per_measurement(const std::function<void()>& call, const Ranks& ranks) {
  const double once = at_first(ranks, std::min(seconds(call), seconds(call)));
  return static_cast<int>(std::clamp(std::ceil(1e-3 / std::max(once, 1e-9)), 1.0, 1e6));
}

}  // namespace

Comparison compare_times(const std::function<void()>& first, const std::function<void()>& second,
                         const Repeats& repeats) {
  const int first_calls = calls_per_measurement(first, *repeats.ranks),
            second_calls = calls_per_measurement(second, *repeats.ranks);
  const auto measure = [](const std::function<void()>& call, int calls) {
    return seconds([&] {
             for (int i = 0; i < calls; ++i) call();
           }) /
           calls;
  };
  std::vector<double> a, b, ratio;
  double spent = 0;
  for (int i = 0; i < repeats.most && (i < repeats.fewest || spent < repeats.budget); ++i) {
    const double now = seconds([&] {
      a.push_back(measure(first, first_calls));
      b.push_back(measure(second, second_calls));
    });
    spent += at_first(*repeats.ranks, now);
    ratio.push_back(b.back() / a.back());
  }
  const auto shortest = [](const std::vector<double>& t) {
    return *std::min_element(t.begin(), t.end());
  };
  return {statistic(a), statistic(b), statistic(ratio), shortest(b) / shortest(a)};
}

double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace projfgd::bench

#include "projfgd/core/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {

namespace {
constexpr int most_memory = 10'000;
}  // namespace

void require_smoothness(double smoothness) {
  require_option(smoothness >= 0 && std::isfinite(smoothness), "smoothness", smoothness,
                 "a number > 0, or 0 to estimate it");
}

void validate(const Options& o) {
  require_option(o.step_constant > 0 && std::isfinite(o.step_constant), "step constant",
                 o.step_constant, "a number > 0");
  if (o.step == StepRule::constant) {
    require_option(o.step_size > 0 && std::isfinite(o.step_size), "--step", o.step_size,
                   "a number > 0");
  }
  require_smoothness(o.smoothness);
  require_option(o.max_iterations >= 0, "--max-iterations", static_cast<double>(o.max_iterations),
                 ">= 0");
  require_option(o.tolerance >= 0 && std::isfinite(o.tolerance), "--tolerance", o.tolerance,
                 ">= 0 and finite");
  require_option(o.gradient_tolerance >= 0, "gradient tolerance", o.gradient_tolerance, ">= 0");
  require_option(o.objective_tolerance >= 0 && o.objective_tolerance < 1, "objective tolerance",
                 o.objective_tolerance, ">= 0 and < 1");
  require_option(o.least_gain >= 0, "least gain", o.least_gain, ">= 0");
  require_option(o.time_limit > 0, "--time-limit", o.time_limit, "> 0 seconds");
  require_option(o.memory >= 1 && o.memory <= most_memory, "memory", o.memory,
                 fmt::format("1 to {}", most_memory).c_str());
}

namespace {

struct NamedRule {
  const char* name;
  StepRule rule;
};

constexpr NamedRule named_rules[] = {{"auto", StepRule::automatic},
                                     {"theory", StepRule::theory},
                                     {"theory-adaptive", StepRule::theory_adaptive}};

}  // namespace

std::vector<std::string> step_rule_names() { return names_of(named_rules); }

void set_step(std::string_view name, Options& options) {
  if (const NamedRule* named = find_named(named_rules, name)) {
    options.step = named->rule;
    return;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size() || !(value > 0) ||
      !std::isfinite(value)) {
    throw InputError(fmt::format("--step: found \"{}\"{}, expected {}", name,
                                 did_you_mean(name, step_rule_names()),
                                 either(step_rule_names(), "a number > 0")));
  }
  options.step = StepRule::constant;
  options.step_size = value;
}

void validate_rank(Index rank, Index n) {
  if (rank < 1 || rank > n) {
    throw InputError(fmt::format("--rank: found {}, expected 1 to {}", rank, n));
  }
}

}  // namespace projfgd

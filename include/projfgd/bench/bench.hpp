// Speed, as ratios: every figure compares two things timed in turn within the same run.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projfgd/core/ranks.hpp"

namespace projfgd::bench {

struct Options {
  bool quick = false;                 ///< small cases and few repeats: a minute instead of many
  std::vector<std::string> sections;  ///< names of section_names(); empty: all
  std::uint64_t seed = 1;
  const Ranks* ranks = &alone();  ///< several measure what they gain over one, and nothing else
};

/// One figure. `value` is the ratio; `details` holds what it was made of.
struct Row {
  std::string section, name;
  double value = 0;
  std::string unit;
  double spread = 0;  ///< half the distance between the quartiles of the repeats
  /// The same ratio from the shortest times: nearer the truth where others use the machine.
  double best = std::numeric_limits<double>::quiet_NaN();
  double target = std::numeric_limits<double>::quiet_NaN();  ///< what `value` should reach
  bool higher_is_better = true;
  double most = std::numeric_limits<double>::infinity();  ///< above this `value` is an error
  nlohmann::ordered_json details = nlohmann::ordered_json::object();
};

/// Called with every row as soon as it is known; returning false ends the run.
using Progress = std::function<bool(const Row&)>;

std::vector<std::string> section_names();

/// Everything measured, with the machine it was measured on. Throws InputError for an unknown
/// section.
nlohmann::ordered_json run(const Options& options, const Progress& progress);

/// One line for people.
std::string line(const Row& row);

/// What got slower or faster than in a stored result by more than both spreads and a tenth, and
/// what is in one of them only. Throws InputError when `before` is not such a result.
std::string compare(const nlohmann::ordered_json& now, const nlohmann::ordered_json& before);

}  // namespace projfgd::bench

#include "projfgd/bench/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "bench/fma_loop.hpp"
#include "bench/sections.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/version.hpp"

namespace projfgd::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr Section sections[] = {{"pauli", run_pauli_rates},       {"rivals", run_pauli_rivals},
                                {"scaling", run_scaling},         {"growth", run_growth},
                                {"counts", run_counts},           {"solves", run_solves},
                                {"diffraction", run_diffraction}, {"gpu", run_gpu},
                                {"ranks", run_ranks, true}};

/// The sections to run, of which several processes and one have their own.
std::vector<Section> chosen_sections(const Options& options) {
  const bool alone = options.ranks->is_alone();
  std::vector<Section> chosen;
  for (const Section& section : sections) {
    const bool named = std::ranges::count(options.sections, section.name) > 0;
    if (section.is_of_ranks == !alone) {
      if (named || options.sections.empty()) chosen.push_back(section);
    } else if (named && alone) {
      throw InputError(fmt::format(
          "section {}: found one process, expected several: mpirun -n 2 projfgd-mpi bench",
          section.name));
    } else if (named) {
      throw InputError(
          fmt::format("section {}: found {} processes, expected one: projfgd bench --section {}",
                      section.name, options.ranks->size(), section.name));
    }
  }
  return chosen;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string text; std::getline(info, text);) {
    if (text.starts_with("model name")) return text.substr(text.find(": ") + 2);
  }
  return "unknown";
}

Json to_json(const Row& row) {
  Json json = {{"section", row.section}, {"name", row.name},
               {"value", row.value},     {"unit", row.unit},
               {"spread", row.spread},   {"higher_is_better", row.higher_is_better}};
  if (!std::isnan(row.best)) json["best"] = row.best;
  if (!std::isnan(row.target)) json["target"] = row.target;
  json["details"] = row.details;
  return json;
}

struct Figure {
  double value, spread;
  bool higher_is_better;
};

std::map<std::string, Figure> figures(const Json& result, const char* which) {
  try {
    std::map<std::string, Figure> all;
    for (const Json& row : result.at("rows")) {
      all[fmt::format("{}: {}", row.at("section").get<std::string>(),
                      row.at("name").get<std::string>())] = {row.at("value"), row.at("spread"),
                                                             row.at("higher_is_better")};
    }
    return all;
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{} is not a result of projfgd bench: {}", which, error.what()));
  }
}

/// Whether the target was reached, where the spread of the repeats lets one tell.
const char* verdict(const Row& row) {
  const bool noisy = std::abs(row.value - row.target) < row.spread || row.value > row.most;
  if (noisy) return "too noisy to tell";
  return (row.value >= row.target) == row.higher_is_better ? "reached" : "missed";
}

}  // namespace

std::vector<std::string> section_names() { return names_of(sections); }

Json run(const Options& options, const Progress& progress) {
  for (const std::string& name : options.sections) require_named("--section", sections, name);
  const std::vector<Section> chosen = chosen_sections(options);
  Json result = {{"version", version()},
                 {"processor", processor()},
                 {"instruction_set", instruction_set()},
                 {"threads", threads()},
                 {"ranks", options.ranks->size()},
                 {"quick", options.quick},
                 {"seed", options.seed},
                 {"operations", operation_formula},
                 {"rows", Json::array()}};
  const Progress emit = [&](const Row& row) {
    result["rows"].push_back(to_json(row));
    return progress(row);
  };
  Repeats repeats = options.quick ? Repeats{0.2, 3, 11} : Repeats{};
  repeats.ranks = options.ranks;
  for (const Section& section : chosen) {
    if (!section.run({options, emit, repeats})) break;
  }
  return result;
}

std::string line(const Row& row) {
  std::string text = fmt::format("{:8} {:46} {:9.4g} +- {:<8.2g} {}", row.section, row.name,
                                 row.value, row.spread, row.unit);
  if (!std::isnan(row.best)) text += fmt::format(" (best {:.4g})", row.best);
  if (!std::isnan(row.target)) {
    text += fmt::format("  [{} {:.4g}: {}]", row.higher_is_better ? ">=" : "<=", row.target,
                        verdict(row));
  }
  const auto number = [&](const char* key) {
    const auto it = row.details.find(key);
    return it != row.details.end() && it->is_number() ? it->get<double>() : std::nan("");
  };
  if (const double ms = number("milliseconds"); !std::isnan(ms))
    text += fmt::format("  {:.4g} ms", ms);
  if (const double ms = number("model_milliseconds"); !std::isnan(ms)) {
    text += fmt::format(" (model {:.4g} ms)", ms);
  }
  if (const double s = number("seconds"); !std::isnan(s)) {
    text += fmt::format("  {:.3g} s, {} iterations, error {:.2g}, {:.0f} MB", s,
                        number("iterations"), number("relative_error"), number("peak_megabytes"));
    if (const double calls = number("calls_over_conjugate_gradients"); !std::isnan(calls)) {
      text += fmt::format(", {:.2f} of the calls of conjugate gradients after the start", calls);
    }
    if (const double most = number("seconds_asked_for"); !std::isnan(most)) {
      text += fmt::format("  [<= {} s: {}]", most, s <= most ? "reached" : "missed");
    }
    if (const double paper = number("paper_seconds"); !std::isnan(paper)) {
      text += fmt::format("  (paper {:.4g} s)", paper);
    }
  }
  return text;
}

std::string compare(const Json& now, const Json& before) {
  const auto ours = figures(now, "this run"), theirs = figures(before, "the stored baseline");
  std::string slower, faster, only;
  std::size_t same = 0;
  for (const auto& [name, figure] : ours) {
    const auto found = theirs.find(name);
    if (found == theirs.end()) {
      only += fmt::format("  new      {}\n", name);
      continue;
    }
    const Figure& old = found->second;
    const double noise = std::max(0.1 * std::abs(old.value), figure.spread + old.spread);
    const double gain = (figure.value - old.value) * (figure.higher_is_better ? 1 : -1);
    const auto text = fmt::format("{}: {:.4g}, was {:.4g}\n", name, figure.value, old.value);
    if (gain < -noise) {
      slower += "  slower   " + text;
    } else if (gain > noise) {
      faster += "  faster   " + text;
    } else {
      ++same;
    }
  }
  for (const auto& [name, figure] : theirs) {
    if (!ours.contains(name)) only += fmt::format("  missing  {}\n", name);
  }
  return fmt::format("Against the baseline: {} figures the same within noise\n{}{}{}", same, slower,
                     faster, only);
}

}  // namespace projfgd::bench

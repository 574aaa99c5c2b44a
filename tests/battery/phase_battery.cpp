// phase_battery [--problems N] [--seed S] [--each] [FAMILY...]: a table of how often `auto` finds
// the image, what it costs, and how often its verdict is wrong. Without a family, all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "battery/phase_problems.hpp"

namespace {

using namespace projfgd::battery;

constexpr auto line = "{:<24}{:>9}{:>8}{:>8}{:>12}{:>10}{:>14}{:>14}{:>9}\n";

void show(const std::string& name, const Rates& rates) {
  const std::string found =
      rates.solvable > 0 ? fmt::format("{}/{}", rates.found, rates.solvable) : "-";
  fmt::print(line, name, rates.problems, found, rates.named > 0 ? fmt::to_string(rates.named) : "-",
             fmt::format("{:.0f}", rates.transforms / rates.problems),
             fmt::format("{:.0f}", rates.most_transforms), rates.wrong_called_right,
             rates.right_called_wrong, fmt::format("{:.1f}", rates.seconds));
  std::fflush(stdout);
}

void add(const Rates& some, Rates& all) {
  all.problems += some.problems;
  all.solvable += some.solvable;
  all.found += some.found;
  all.named += some.named;
  all.wrong_called_right += some.wrong_called_right;
  all.right_called_wrong += some.right_called_wrong;
  all.transforms += some.transforms;
  all.most_transforms = std::max(all.most_transforms, some.most_transforms);
  all.seconds += some.seconds;
}

}  // namespace

int main(int count, char** words) {
  int most = 1000;
  std::uint64_t seed = 1;
  bool each = false;
  std::vector<std::string> wanted;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    if (word == "--each") {
      each = true;
    } else if (word == "--problems" && k + 1 < count) {
      most = std::atoi(words[++k]);
    } else if (word == "--seed" && k + 1 < count) {
      seed = std::strtoull(words[++k], nullptr, 10);
    } else {
      wanted.push_back(word);
    }
  }
  fmt::print(line, "family", "problems", "found", "named", "transforms", "most", "wrong+right",
             "right+wrong", "seconds");
  Rates all;
  for (const Family& family : families()) {
    if (!wanted.empty() && std::ranges::find(wanted, family.name) == wanted.end()) continue;
    Rates rates;
    for (int k = 0; k < std::min(most, family.problems); ++k) {
      const Outcome outcome = run(family, k, seed);
      rates.add(outcome);
      if (each) {
        const Recipe recipe = family.recipe(k);
        fmt::print(
            "  {} {} {}x{} L={} error {:.2g} misfit {:.2g} {} called {} in {:.0f}, {} loss: {}\n",
            k, recipe.image, recipe.height, recipe.width, recipe.patterns, outcome.error,
            outcome.misfit, outcome.right ? "right" : "wrong",
            outcome.called_right ? "right" : "wrong", outcome.transforms, outcome.loss,
            outcome.message);
      }
    }
    if (rates.problems == 0) continue;
    show(family.name, rates);
    add(rates, all);
  }
  if (all.problems > 0) show("all", all);
  return 0;
}

// tomography_battery models|intervals|starts|verdicts [--qubits N] [--shots N] [--settings N]
// [--sets N] [--seed S] [--rank R] [--fit-rank R] [--readout-error E] [--expectations]
// [--no-errors] [--no-fixed] [--each] [FAMILY...]: a table over families of states, of which a part
// of the name is enough. Without a family, all of them.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>

#include "battery/tomography_tables.hpp"

namespace {

using namespace projfgd::battery;

const std::map<std::string, void (*)(const TableRequest&)> tables{{"models", show_models},
                                                                  {"intervals", show_intervals},
                                                                  {"starts", show_starts},
                                                                  {"verdicts", show_verdicts}};

}  // namespace

int main(int count, char** words) {
  if (count < 2 || !tables.contains(words[1])) {
    fmt::print(stderr, "expected models, intervals, starts or verdicts\n");
    return EXIT_FAILURE;
  }
  TableRequest request;
  std::vector<StateFamily> wanted;
  for (int k = 2; k < count; ++k) {
    const std::string word = words[k];
    const auto next = [&] { return k + 1 < count ? std::atof(words[++k]) : 0; };
    if (word == "--qubits") {
      request.design.qubits = static_cast<int>(next());
    } else if (word == "--shots") {
      request.design.shots = static_cast<int>(next());
    } else if (word == "--settings") {
      request.design.settings = static_cast<int>(next());
    } else if (word == "--sets") {
      request.sets = static_cast<int>(next());
    } else if (word == "--seed") {
      request.seed = static_cast<std::uint64_t>(next());
    } else if (word == "--rank") {
      request.rank = static_cast<projfgd::Index>(next());
    } else if (word == "--readout-error") {
      request.design.readout_error = next();
    } else if (word == "--fit-rank") {  // 0: chosen; full
      const std::string rank = k + 1 < count ? words[++k] : "";
      request.fit_rank = rank == "full" ? projfgd::full_rank : std::atoi(rank.c_str());
    } else if (word == "--no-errors") {
      request.errors = false;
    } else if (word == "--no-fixed") {
      request.fixed = false;
    } else if (word == "--each") {
      request.each = true;
    } else if (word == "--expectations") {
      request.design.expectations = true;
    } else {
      for (const StateFamily& family : state_families()) {
        if (family.name.find(word) != std::string::npos) wanted.push_back(family);
      }
    }
  }
  if (!wanted.empty()) request.families = wanted;
  tables.at(words[1])(request);
}

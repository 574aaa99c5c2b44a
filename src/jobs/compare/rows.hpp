// What the two kinds of comparison share: from the records of runs to rows and warnings.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "projfgd/jobs/compare.hpp"

namespace projfgd {

/// The members of a summary that one line of the comparison shows.
ComparedRun compared_run(RunRecord record, const std::string& method);

/// What the methods have to say, once where all say it.
Json warnings_of(const std::vector<ComparedRun>& runs);

/// One for each method that was asked for, whether it ran or not.
Json rows_of(const std::vector<ComparedRun>& runs, const std::vector<std::string>& methods);

/// Those of the methods of which is_one is true.
std::vector<std::string> chosen(const std::vector<std::string>& methods, const auto& is_one) {
  std::vector<std::string> some;
  std::ranges::copy_if(methods, std::back_inserter(some), is_one);
  return some;
}

/// The settings that all methods have.
Json common_summary(const char* job, const RunSettings& settings);

/// A comparison on data that have been recognised.
Comparison compare_states(const CompareInput& input, RunSettings settings);
Comparison compare_images(const CompareInput& input, const RunSettings& settings);

}  // namespace projfgd

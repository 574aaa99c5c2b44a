// A start that a user gives is input too.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/jobs/run.hpp"

namespace projfgd {

/// Whether it is one of the names, not the path of a file.
inline bool is_named_start(const std::string& init,
                           const std::vector<std::string>& names = start_names()) {
  return std::ranges::find(names, init) != names.end();
}

/// An n x r factor from a file, with the rows the problem has.
template <class S>
Matrix<S> read_factor(const std::filesystem::path& path, Index rows, InputFiles& inputs);

/// Reads the file of RunSettings::init, where it is one, into Problem::start.
template <class S>
void read_start(const RunSettings& settings, InputFiles& inputs, Problem<S>& problem) {
  if (is_named_start(settings.init)) return;
  problem.start = read_factor<S>(settings.init, problem.op.rows(), inputs);
  if (!(norm(problem.start) > 0)) {
    throw InputError(fmt::format("{}: found zeros alone, expected a factor", settings.init));
  }
}

}  // namespace projfgd

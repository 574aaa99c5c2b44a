// A start that a user gives is input too.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/jobs/run.hpp"

namespace projfgd {

/// Whether it is one of the names, not the path of a file.
inline bool is_named_start(const std::string& init,
                           const std::vector<std::string>& names = start_names()) {
  return std::ranges::find(names, init) != names.end();
}

/// Throws InputError for a word that is neither of the names nor a file, as a name misspelt is.
/// What looks like a path is left to whoever opens it.
inline void require_start_file(const std::string& init, const std::vector<std::string>& names,
                               const InputFiles& inputs) {
  const std::filesystem::path path(init);
  const bool word = !path.has_extension() && !path.has_parent_path();
  if (!word || inputs.in_memory(path) || std::filesystem::exists(path)) return;
  throw InputError(fmt::format("--init: found \"{}\", expected {}", init, either(names, "a file")));
}

/// An n x r factor from a file, with the rows the problem has.
template <class S>
Matrix<S> read_factor(const std::filesystem::path& path, Index rows, InputFiles& inputs);

/// The factor in the file of RunSettings::init; empty where that is a name.
template <class S>
Matrix<S> read_start(const RunSettings& settings, Index rows, InputFiles& inputs) {
  if (is_named_start(settings.init)) return {};
  require_start_file(settings.init, start_names(), inputs);
  Matrix<S> start = read_factor<S>(settings.init, rows, inputs);
  if (!(norm(start) > 0)) {
    throw InputError(fmt::format("{}: found only zeros, expected a factor", settings.init));
  }
  return start;
}

}  // namespace projfgd

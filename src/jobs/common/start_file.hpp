// A start that a user gives is input too.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/jobs/run.hpp"

namespace projfgd {

/// Whether it is one of the names, not the path of a file.
inline bool is_named_start(const std::string& init,
                           const std::vector<std::string>& names = start_names()) {
  return std::ranges::find(names, init) != names.end();
}

/// Whether a name was probably misspelt: a word that is no file and does not look like a path.
inline bool is_unknown_word(const std::string& text, const InputFiles& inputs) {
  const std::filesystem::path path(text);
  const bool word = !path.has_extension() && !path.has_parent_path();
  return word && !inputs.in_memory(path) && !std::filesystem::exists(path);
}

/// Throws InputError for a word that is neither one of the names nor a file.
inline void require_start_file(const std::string& init, const std::vector<std::string>& names,
                               const InputFiles& inputs) {
  if (!is_unknown_word(init, inputs)) return;
  throw InputError(unknown_name("--init", init, names, "a file"));
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

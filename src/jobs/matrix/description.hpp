// What the file of a matrix problem says. The format is in docs/solve-reference.md.
#pragma once

#include <filesystem>
#include <string>

#include "projfgd/core/error.hpp"
#include "projfgd/io/entries.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/input_files.hpp"

namespace projfgd {

/// A problem as its file states it, before the scalar is chosen.
struct MatrixDescription {
  std::filesystem::path path;  ///< of the file, for messages and as the base of relative paths
  Index dimension = 0;
  bool complex = false;
  Json operator_keys = {{"type", "entries"}};
  std::string data;  ///< file of y; empty when the entries hold it
  Json loss = {{"type", "least-squares"}};
  ConstraintSpec constraint;
  Index rank = 0;
  std::filesystem::path truth;
  bool only_entries = false;  ///< the file is the known entries and nothing else
  KnownEntries known;         ///< of the operator "entries"

  std::filesystem::path beside(const std::string& name) const { return path.parent_path() / name; }
};

/// Throws InputError naming the file of the problem.
[[noreturn]] void fail(const MatrixDescription& d, const std::string& what);

/// What `make` returns; an InputError of its gets the name of the file that asked for it.
template <class Make>
auto named(const std::filesystem::path& path, Make&& make) {
  try {
    return make();
  } catch (const InputError& error) {
    throw InputError(path.string() + ": " + error.what());
  }
}

/// Reads a JSON description, or known entries alone (.mtx, .csv), which are a problem too: least
/// squares, no set.
MatrixDescription read_description(const std::filesystem::path& path, InputFiles& inputs);

/// Reads the entries that a description with the operator "entries" names.
void read_known_entries(MatrixDescription& d, InputFiles& inputs);

}  // namespace projfgd

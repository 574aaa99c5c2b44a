// The file in which a run that is not done leaves what it has found so far.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/archive.hpp"

namespace projfgd {

/// A piece of work that is done: its name, how deep it is inside others, and what it found.
struct CheckpointPiece {
  std::string name;
  std::uint64_t depth = 0;
  std::string bytes;
};

struct Checkpoint {
  std::string about;  ///< JSON: who wrote it, with which settings, from which data
  std::vector<CheckpointPiece> pieces;
  std::string state;  ///< of the piece in progress; empty: it had not begun, or begins anew
};

/// The name of the file in the folder of the results.
inline constexpr const char* checkpoint_file = "checkpoint";

/// Parses the bytes of a file; `path` is what errors name. Every size is compared with the bytes
/// that are there. Throws InputError for what is no checkpoint, is cut, damaged, or of another
/// layout.
Checkpoint parse_checkpoint(std::string_view bytes, const std::filesystem::path& path);

/// Writes the file, which replaces an older one whole or not at all, however the process ends.
/// `state` names the variables of the piece in progress. With `sync` the bytes are on the disk when
/// this returns; without, a power failure may cost the file, but no end of the process does. Throws
/// FileError.
void write_checkpoint(const std::filesystem::path& path, std::string_view about,
                      const std::vector<CheckpointPiece>& pieces, FunctionRef<void(Archive&)> state,
                      bool sync);

}  // namespace projfgd

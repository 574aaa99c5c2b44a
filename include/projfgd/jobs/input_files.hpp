// The data files of a job, on disk or in memory.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/interrupt.hpp"
#include "projfgd/core/ranks.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/sha256.hpp"

namespace projfgd {

/// Bytes that stand for a file, for a caller whose data are not in files and who keeps the bytes
/// while the job runs. Of an NPY file `head` is the header and `rest` the memory of the array.
struct MemoryFile {
  std::string_view head, rest;
};
using MemoryFiles = std::map<std::filesystem::path, MemoryFile>;

/// Reads a job's data files and remembers them for summary.json. Of several ranks the first reads,
/// and gives the bytes to the others.
class InputFiles {
 public:
  InputFiles() = default;
  /// Called for every file that was read, with sha256() after it.
  using Note = std::function<void(const std::string& name, const std::string& hash)>;

  /// With files in memory, which come before those on the disk, an interrupt for long reads, and
  /// the files that the run will write: none of them may be an input, because it would be lost.
  explicit InputFiles(MemoryFiles in_memory, Interrupt interrupt = {},
                      std::vector<std::filesystem::path> outputs = {}, Note note = {},
                      const Ranks& ranks = alone())
      : in_memory_(std::move(in_memory)),
        interrupt_(std::move(interrupt)),
        outputs_(std::move(outputs)),
        note_(std::move(note)),
        ranks_(&ranks) {}

  bool in_memory(const std::filesystem::path& path) const { return in_memory_.contains(path); }
  std::string read(const std::filesystem::path& path);
  /// Records a file on the disk that another library reads.
  void enter(const std::filesystem::path& path);
  /// Throws InputError for a number that is not finite.
  Array npy(const std::filesystem::path& path);
  /// The same with any numbers.
  Array npy_unchecked(const std::filesystem::path& path);

  /// The files that were read, in order.
  const std::vector<std::string>& names() const { return names_; }
  /// Of these files one after the other: `cat FILES | sha256sum`.
  std::string sha256() const { return hash_.hex(); }

 private:
  /// Throws InputError if the run would overwrite the file.
  void refuse_output(const std::filesystem::path& path) const;
  /// Enters a file with its bytes, in two parts.
  void remember(const std::filesystem::path& path, const MemoryFile& bytes);

  MemoryFiles in_memory_;
  Interrupt interrupt_;
  std::vector<std::filesystem::path> outputs_;
  Note note_;
  const Ranks* ranks_ = &alone();
  std::vector<std::string> names_;
  Sha256 hash_;
};

}  // namespace projfgd

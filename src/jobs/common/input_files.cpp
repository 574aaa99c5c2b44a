#include "projfgd/jobs/input_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/listening.hpp"

namespace projfgd {
namespace {

/// Of a file that every rank reads.
void require_same(const std::filesystem::path& path, const std::string& hash, const Ranks& ranks) {
  if (ranks.is_alone()) return;
  std::string at_root = hash;
  ranks.broadcast(at_root);
  if (ranks.all(hash == at_root)) return;
  throw InputError(fmt::format(
      "{}: found another file on another machine, expected a folder that all machines share",
      path.string()));
}

}  // namespace

void InputFiles::remember(const std::filesystem::path& path, const MemoryFile& bytes) {
  names_.push_back(path.string());
  hash_.update(bytes.head);
  hash_.update(bytes.rest);
  if (note_) note_(names_.back(), sha256());
}

void InputFiles::refuse_output(const std::filesystem::path& path) const {
  std::error_code error;
  for (const std::filesystem::path& output : outputs_) {
    if (!std::filesystem::equivalent(path, output, error)) continue;
    throw InputError(fmt::format(
        "{}: found an input of this run that its results would replace, expected another folder "
        "for them (--out)",
        path.string()));
  }
}

std::string InputFiles::read(const std::filesystem::path& path) {
  std::string bytes;
  if (const auto found = in_memory_.find(path); found != in_memory_.end()) {
    bytes.append(found->second.head).append(found->second.rest);
  } else {
    ranks_->at_root([&] {
      refuse_output(path);
      const Listening listening = interrupt_ ? Listening(interrupt_) : Listening();
      bytes = read_file(path);
    });
    ranks_->broadcast(bytes);
  }
  remember(path, {bytes, {}});
  return bytes;
}

void InputFiles::enter(const std::filesystem::path& path) {
  if (std::ranges::find(names_, path.string()) != names_.end()) return;
  refuse_output(path);
  names_.push_back(path.string());
  const Listening listening = interrupt_ ? Listening(interrupt_) : Listening();
  read_pieces(path, [this](std::string_view piece) { hash_.update(piece); });
  require_same(path, sha256(), *ranks_);
  if (note_) note_(names_.back(), sha256());
}

Array InputFiles::npy_unchecked(const std::filesystem::path& path) {
  const auto found = in_memory_.find(path);
  if (found == in_memory_.end()) return parse_npy(read(path), path);
  remember(path, found->second);
  return parse_npy(found->second.head, path, found->second.rest);
}

Array InputFiles::npy(const std::filesystem::path& path) {
  Array array = npy_unchecked(path);
  require_finite(array, path);
  return array;
}

}  // namespace projfgd

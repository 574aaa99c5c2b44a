#include "projfgd/jobs/input_files.hpp"

#include <algorithm>

#include "projfgd/io/files.hpp"

namespace projfgd {

void InputFiles::remember(const std::filesystem::path& path, const MemoryFile& bytes) {
  names_.push_back(path.string());
  hash_.update(bytes.head);
  hash_.update(bytes.rest);
}

std::string InputFiles::read(const std::filesystem::path& path) {
  std::string bytes;
  if (const auto found = in_memory_.find(path); found != in_memory_.end()) {
    bytes.append(found->second.head).append(found->second.rest);
  } else {
    bytes = read_file(path);
  }
  remember(path, {bytes, {}});
  return bytes;
}

void InputFiles::enter(const std::filesystem::path& path) {
  if (std::ranges::find(names_, path.string()) != names_.end()) return;
  names_.push_back(path.string());
  read_pieces(path, [this](std::string_view piece) { hash_.update(piece); });
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

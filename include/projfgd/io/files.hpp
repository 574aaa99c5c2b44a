// Whole files in and out. A write is to a temporary in the same folder, synced and renamed, so a
// reader never sees half a file and a full disk never costs the old one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace projfgd {

/// The bytes of a file. Throws FileError; and InterruptedError once the user wants the end (see
/// io/listening.hpp), also while a pipe is silent.
std::string read_file(const std::filesystem::path& path);

/// The same for a file that need not fit in memory: take(piece) is called for one after the other.
void read_pieces(const std::filesystem::path& path,
                 const std::function<void(std::string_view)>& take);

/// Its first bytes, at most so many. Throws as read_file() does.
std::string read_start(const std::filesystem::path& path, std::size_t most);

/// Replaces the file at `path` by these bytes, or leaves it as it was. Throws FileError.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// The same for bytes that need not be in memory at once: produce(put) calls put for every piece.
using Put = std::function<void(std::string_view)>;
/// Without `sync` a failure of the machine, but none of the process, may cost the file.
void write_pieces(const std::filesystem::path& path, const std::function<void(const Put&)>& produce,
                  bool sync = true);

/// Makes a folder for results, with its parents. Throws FileError.
void make_folder(const std::filesystem::path& path);

/// Throws FileError where make_folder() would have no place to write, or one of these files none in
/// it; makes nothing.
void require_place_for_folder(const std::filesystem::path& path,
                              const std::vector<std::string>& files = {});

/// One sentence for what the standard library says of a path.
std::string sentence(const std::filesystem::filesystem_error& error);

}  // namespace projfgd

// Whole files in and out. A write is to a temporary in the same folder, synced and renamed, so a
// reader never sees half a file and a full disk never costs the old one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace projfgd {

/// The bytes of a file. Throws FileError.
std::string read_file(const std::filesystem::path& path);

/// Replaces the file at `path` by these bytes, or leaves it as it was. Throws FileError.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Makes a folder for results, with its parents. Throws FileError.
void make_folder(const std::filesystem::path& path);

/// Lower-case hexadecimal SHA-256 of the bytes.
std::string sha256(std::string_view bytes);

}  // namespace projfgd

// Whole files in and out. A write is to a temporary in the same folder, synced and renamed, so a
// reader never sees half a file and a full disk never costs the old one.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace projfgd {

/// The bytes of a file. Throws FileError.
std::string read_file(const std::filesystem::path& path);

/// Replaces the file at `path` by these bytes, or leaves it as it was. Throws FileError.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// The same for bytes that need not be in memory at once: produce(put) calls put for every piece.
using Put = std::function<void(std::string_view)>;
void write_pieces(const std::filesystem::path& path,
                  const std::function<void(const Put&)>& produce);

/// Makes a folder for results, with its parents. Throws FileError.
void make_folder(const std::filesystem::path& path);

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
 public:
  void update(std::string_view bytes);
  std::string hex() const;  ///< lower case, of everything so far

 private:
  void block(const unsigned char* bytes);
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t length_ = 0;
};

/// Lower-case hexadecimal SHA-256 of the bytes.
std::string sha256(std::string_view bytes);

}  // namespace projfgd

// Fingerprints of what was read.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace projfgd {

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

#include "projfgd/io/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace projfgd {

void Sha256::block(const unsigned char* bytes) {
  static constexpr std::array<std::uint32_t, 64> k = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
      0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
      0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
      0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
      0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
      0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
      0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
      0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
      0xc67178f2};
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) {
    const unsigned char* b = bytes + 4 * t;
    w[t] = std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
  }
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t x = w[t - 15], y = w[t - 2];
    w[t] = w[t - 16] + w[t - 7] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3)) +
           (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int t = 0; t < 64; ++t) {
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + k[t] + w[t];
    const std::uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[i] += added[i];
}

void Sha256::update(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size(), filled = length_ % 64;
  length_ += left;
  if (filled > 0) {
    const std::size_t taken = std::min(left, 64 - filled);
    std::memcpy(pending_.data() + filled, data, taken);
    data += taken, left -= taken, filled += taken;
    if (filled < 64) return;
    block(pending_.data());
  }
  for (; left >= 64; data += 64, left -= 64) block(data);
  if (left > 0) std::memcpy(pending_.data(), data, left);
}

std::string Sha256::hex() const {
  Sha256 last = *this;
  const std::uint64_t bits = length_ * 8;
  std::string padding(1 + (119 - length_ % 64) % 64, '\0');
  padding[0] = '\x80';
  for (int shift = 56; shift >= 0; shift -= 8) padding += static_cast<char>(bits >> shift);
  last.update(padding);
  std::string text;
  for (const std::uint32_t word : last.state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace projfgd

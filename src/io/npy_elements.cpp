#include "npy_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "projfgd/core/error.hpp"
#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

static_assert(std::endian::native == std::endian::little, "NPY data are copied as they stand");

/// IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction.
struct Half {
  std::uint16_t bits;

  explicit operator double() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = std::ldexp(fraction, -24);  // subnormal
    if (exponent == 31) {
      size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
    } else if (exponent > 0) {
      size = std::ldexp(1024 + fraction, exponent - 25);
    }
    return bits >> 15 == 0 ? size : -size;
  }
};

/// Copies `count` numbers of type T to doubles.
template <class T, std::endian order>
void convert(const char* bytes, std::size_t count, double* out) {
  for (std::size_t k = 0; k < count; ++k) {
    char raw[sizeof(T)];
    std::memcpy(raw, bytes + k * sizeof(T), sizeof(T));
    if constexpr (order != std::endian::native) std::reverse(raw, raw + sizeof(T));
    T value;
    std::memcpy(&value, raw, sizeof(T));
    out[k] = static_cast<double>(value);
  }
}

struct Type {
  NpyElements little, big;
};

template <class T>
constexpr Type type(std::string_view name, bool complex = false) {
  return {{name, sizeof(T), complex, convert<T, std::endian::little>},
          {name, sizeof(T), complex, convert<T, std::endian::big>}};
}

constexpr Type types[] = {
    type<std::uint8_t>("b1"),  type<std::int8_t>("i1"),   type<std::int16_t>("i2"),
    type<std::int32_t>("i4"),  type<std::int64_t>("i8"),  type<std::uint8_t>("u1"),
    type<std::uint16_t>("u2"), type<std::uint32_t>("u4"), type<std::uint64_t>("u8"),
    type<Half>("f2"),          type<float>("f4"),         type<double>("f8"),
    type<float>("c8", true),   type<double>("c16", true),
};

}  // namespace

NpyElements npy_elements(const std::string& descr, const std::filesystem::path& path) {
  const char order = descr.empty() ? '?' : descr[0];
  for (const auto& [little, big] : types) {
    if (descr.substr(std::min<std::size_t>(1, descr.size())) != little.name) continue;
    if (order == '<' || order == '=' || (order == '|' && little.part_size == 1)) return little;
    if (order == '>') return big;
  }
  throw InputError(
      fmt::format("{}: found the type {}, expected a boolean, an integer, float16, float32, "
                  "float64, complex64 or complex128",
                  path.string(), quote(descr)));
}

}  // namespace projfgd

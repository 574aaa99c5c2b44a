#include "projfgd/core/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

#include "projfgd/core/chunks.hpp"

namespace projfgd {
namespace {

struct Pair {
  std::uint64_t first, second;
};

Pair draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const r123::Philox2x64 generator;
  // Two words of counter, one of key: the stream is spread over the key by an odd constant.
  const r123::Philox2x64::ctr_type counter{{index, stream}};
  const r123::Philox2x64::key_type key{{seed ^ (stream * 0x9E3779B97F4A7C15ULL)}};
  const auto out = generator(counter, key);
  return {out[0], out[1]};
}

constexpr Index normals_per_chunk = 2048;  // some 100 us

double open_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1.0p-53; }

}  // namespace

std::uint64_t RandomStream::bits(std::uint64_t index) const {
  return draw(seed_, stream_, index).first;
}

double RandomStream::uniform(std::uint64_t index) const { return open_unit(bits(index)); }

std::uint64_t RandomStream::below(std::uint64_t bound, std::uint64_t index) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(bits(index)) * bound) >> 64);
}

double RandomStream::normal(std::uint64_t index) const {
  const Pair pair = draw(seed_, stream_, index);  // Box-Muller
  return std::sqrt(-2.0 * std::log(open_unit(pair.first))) *
         std::cos(2.0 * std::numbers::pi * open_unit(pair.second));
}

template <class S>
void fill_normal(const RandomStream& random, Matrix<S>& u) {
  for_each_chunk(u.size(), normals_per_chunk, 2, [&](Index, Index begin, Index length) {
    for (Index k = begin; k < begin + length; ++k) {
      if constexpr (is_complex<S>) {
        u.data()[k] = S(static_cast<RealOf<S>>(random.normal(2 * k)),
                        static_cast<RealOf<S>>(random.normal(2 * k + 1)));
      } else {
        u.data()[k] = static_cast<S>(random.normal(k));
      }
    }
  });
}

template void fill_normal(const RandomStream&, Matrix<float>&);
template void fill_normal(const RandomStream&, Matrix<double>&);
template void fill_normal(const RandomStream&, Matrix<std::complex<float>>&);
template void fill_normal(const RandomStream&, Matrix<std::complex<double>>&);

}  // namespace projfgd

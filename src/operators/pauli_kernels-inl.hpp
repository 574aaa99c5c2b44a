// Compiled once for each instruction set; see pauli_kernels.hpp.
#if defined(PROJFGD_PAULI_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PROJFGD_PAULI_KERNELS_INL
#undef PROJFGD_PAULI_KERNELS_INL
#else
#define PROJFGD_PAULI_KERNELS_INL
#endif

#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <array>
#include <bit>

#include "operators/pauli_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace projfgd::pauli::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors in a block: as many as the registers hold twice over.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
inline constexpr std::size_t kVectors = 8;
#else
inline constexpr std::size_t kVectors = 4;
#endif

/// (-1)^{row . column}
template <class T>
struct Signs {
  alignas(64) T sign[16][16];
  constexpr Signs() : sign{} {
    for (unsigned i = 0; i < 16; ++i) {
      for (unsigned j = 0; j < 16; ++j) sign[i][j] = std::popcount(i & j) % 2 ? T(-1) : T(1);
    }
  }
};
template <class T>
inline constexpr Signs<T> kSigns{};

template <class T>
struct Shape {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using Block = std::array<V, kVectors>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr std::size_t rows = lanes * kVectors;

  static constexpr std::size_t block_of(std::uint32_t mask) { return mask / rows; }
  static constexpr std::size_t vector_of(std::uint32_t mask) { return mask / lanes % kVectors; }
  static constexpr std::size_t lane_of(std::uint32_t mask) { return mask % lanes; }
  static constexpr std::uint32_t negative = PauliGroups::negative / rows;

  /// +-1: the sign that z has on this block, with the string's own.
  static T block_sign(std::uint32_t z, std::size_t block) {
    const auto mask = static_cast<std::uint32_t>(block) | negative;
    return kSigns<T>.sign[1][std::popcount(static_cast<std::uint32_t>(z / rows) & mask) & 1];
  }

  /// Indices that send lane l to lane l ^ x.
  static auto lane_xor(std::size_t x) {
    using I = hwy::MakeSigned<T>;
    alignas(64) I index[lanes];
    for (std::size_t l = 0; l < lanes; ++l) index[l] = static_cast<I>(l ^ x);
    return hn::SetTableIndices(D(), index);
  }
};

/// Block of w = sum_c conj(R[j^x]) L[j]: real parts, imaginary parts, or both.
template <bool kReal, bool kImag, class T>
HWY_INLINE void products(const Planes<T>& left, const Planes<T>& right, std::size_t block,
                         std::uint32_t x, typename Shape<T>::Block& real,
                         typename Shape<T>::Block& imag) {
  using Sh = Shape<T>;
  const typename Sh::D d;
  const auto lanes = Sh::lane_xor(Sh::lane_of(x));
  const std::size_t flip = Sh::vector_of(x) * Sh::lanes;
  const T* a = left.data + block * left.columns * 2 * Sh::rows;
  const T* b = right.data + (block ^ Sh::block_of(x)) * right.columns * 2 * Sh::rows;
  for (std::size_t k = 0; k < kVectors; ++k) real[k] = imag[k] = hn::Zero(d);
  for (std::size_t c = 0; c < left.columns; ++c, a += 2 * Sh::rows, b += 2 * Sh::rows) {
    for (std::size_t k = 0; k < kVectors; ++k) {
      const std::size_t at = k * Sh::lanes, partner = at ^ flip;
      const auto ar = hn::Load(d, a + at), ai = hn::Load(d, a + Sh::rows + at);
      const auto br = hn::TableLookupLanes(hn::Load(d, b + partner), lanes);
      const auto bi = hn::TableLookupLanes(hn::Load(d, b + Sh::rows + partner), lanes);
      if constexpr (kReal) real[k] = hn::MulAdd(ar, br, hn::MulAdd(ai, bi, real[k]));
      if constexpr (kImag) imag[k] = hn::MulAdd(ai, br, hn::NegMulAdd(ar, bi, imag[k]));
    }
  }
}

/// sum_k (-1)^{z.k} w[k] over the vectors of a block, lane by lane.
template <class T>
HWY_INLINE typename Shape<T>::V signed_sum(const typename Shape<T>::Block& w, std::uint32_t z) {
  const typename Shape<T>::D d;
  const T* sign = kSigns<T>.sign[Shape<T>::vector_of(z)];
  auto even = w[0], odd = hn::Mul(w[1], hn::Set(d, sign[1]));
  for (std::size_t k = 2; k < kVectors; k += 2) {
    even = hn::MulAdd(w[k], hn::Set(d, sign[k]), even);
    odd = hn::MulAdd(w[k + 1], hn::Set(d, sign[k + 1]), odd);
  }
  return hn::Add(even, odd);
}

template <class T>
HWY_INLINE void add_sums(const PauliGroups& strings, std::uint32_t begin, std::uint32_t end,
                         const typename Shape<T>::Block& w, std::size_t block, T* totals) {
  const typename Shape<T>::D d;
  for (std::uint32_t s = begin; s < end; ++s, totals += Shape<T>::lanes) {
    const std::uint32_t z = strings.z[s];
    const auto sign = hn::Set(d, Shape<T>::block_sign(z, block));
    hn::Store(hn::MulAdd(signed_sum<T>(w, z), sign, hn::Load(d, totals)), d, totals);
  }
}

template <bool kReal, bool kImag, class T>
HWY_INLINE void forward_group(const PauliGroups& strings, std::size_t g, std::size_t block,
                              const Planes<T>& left, const Planes<T>& right, T* totals) {
  const auto& group = strings.groups[g];
  const std::uint32_t begin = strings.begin(g);
  typename Shape<T>::Block real, imag;
  products<kReal, kImag>(left, right, block, group.x, real, imag);
  if constexpr (kReal) add_sums<T>(strings, begin, group.odd, real, block, totals);
  if constexpr (kImag) {
    totals += (group.odd - begin) * Shape<T>::lanes;
    add_sums<T>(strings, group.odd, group.end, imag, block, totals);
  }
}

template <class T>
void Forward(const PauliGroups& strings, std::size_t first, std::size_t last, std::size_t blocks,
             const Planes<T>& left, const Planes<T>& right, T scale, T* y) {
  using Sh = Shape<T>;
  const typename Sh::D d;
  const std::uint32_t begin = strings.begin(first), end = strings.groups[last - 1].end;
  const auto totals = hwy::AllocateAligned<T>((end - begin) * Sh::lanes);
  std::fill_n(totals.get(), (end - begin) * Sh::lanes, T(0));
  // w(j ^ x) = conj w(j): of two blocks that x exchanges, the one with this bit clear is enough.
  const std::size_t pivot = std::bit_floor(Sh::block_of(strings.groups[first].x));
  if (pivot != 0) scale *= 2;
  for (std::size_t block = 0; block < blocks; ++block) {
    if (block & pivot) continue;
    for (std::size_t g = first; g < last; ++g) {
      const std::uint32_t start = strings.begin(g);
      const bool real = strings.groups[g].odd > start;
      const bool imag = strings.groups[g].end > strings.groups[g].odd;
      T* at = totals.get() + (start - begin) * Sh::lanes;
      if (real && imag) {
        forward_group<true, true>(strings, g, block, left, right, at);
      } else if (real) {
        forward_group<true, false>(strings, g, block, left, right, at);
      } else {
        forward_group<false, true>(strings, g, block, left, right, at);
      }
    }
  }
  for (std::uint32_t s = begin; s < end; ++s) {
    const auto lane_sign = hn::Load(d, kSigns<T>.sign[Sh::lane_of(strings.z[s])]);
    const auto total = hn::Load(d, totals.get() + (s - begin) * Sh::lanes);
    y[strings.place[s]] = scale * hn::GetLane(hn::SumOfLanes(d, hn::Mul(total, lane_sign)));
  }
}

/// e[k] += sum_s +-c_s (-1)^{z_s.j} over the rows j of a block.
template <class T>
HWY_INLINE void expand(const PauliGroups& strings, std::uint32_t begin, std::uint32_t end,
                       const T* c, std::size_t block, typename Shape<T>::Block& e) {
  const typename Shape<T>::D d;
  for (auto& v : e) v = hn::Zero(d);
  for (std::uint32_t s = begin; s < end; ++s) {
    const std::uint32_t z = strings.z[s];
    const auto lane_sign = hn::Load(d, kSigns<T>.sign[Shape<T>::lane_of(z)]);
    const auto term = hn::Mul(hn::Set(d, c[s] * Shape<T>::block_sign(z, block)), lane_sign);
    const T* sign = kSigns<T>.sign[Shape<T>::vector_of(z)];
    for (std::size_t k = 0; k < kVectors; ++k) {
      e[k] = hn::MulAdd(term, hn::Set(d, sign[k]), e[k]);
    }
  }
}

/// out[j] += e(j) V[j^x] over the rows of a block.
template <bool kReal, bool kImag, class T>
HWY_INLINE void adjoint_group(const PauliGroups& strings, std::size_t g, const T* c,
                              const Planes<T>& v, std::size_t block, T* out) {
  using Sh = Shape<T>;
  const typename Sh::D d;
  const auto& group = strings.groups[g];
  typename Sh::Block real, imag;
  if constexpr (kReal) expand(strings, strings.begin(g), group.odd, c, block, real);
  if constexpr (kImag) expand(strings, group.odd, group.end, c, block, imag);
  const auto lanes = Sh::lane_xor(Sh::lane_of(group.x));
  const std::size_t flip = Sh::vector_of(group.x) * Sh::lanes;
  const T* b = v.data + (block ^ Sh::block_of(group.x)) * v.columns * 2 * Sh::rows;
  for (std::size_t col = 0; col < v.columns; ++col, b += 2 * Sh::rows, out += 2 * Sh::rows) {
    for (std::size_t k = 0; k < kVectors; ++k) {
      const std::size_t at = k * Sh::lanes, partner = at ^ flip;
      const auto br = hn::TableLookupLanes(hn::Load(d, b + partner), lanes);
      const auto bi = hn::TableLookupLanes(hn::Load(d, b + Sh::rows + partner), lanes);
      auto re = hn::Load(d, out + at), im = hn::Load(d, out + Sh::rows + at);
      if constexpr (kReal) {
        re = hn::MulAdd(real[k], br, re);
        im = hn::MulAdd(real[k], bi, im);
      }
      if constexpr (kImag) {
        re = hn::NegMulAdd(imag[k], bi, re);
        im = hn::MulAdd(imag[k], br, im);
      }
      hn::Store(re, d, out + at);
      hn::Store(im, d, out + Sh::rows + at);
    }
  }
}

template <class T>
void Adjoint(const PauliGroups& strings, const T* c, const Planes<T>& v, std::size_t block,
             T* out) {
  std::fill_n(out, 2 * Shape<T>::rows * v.columns, T(0));
  for (std::size_t g = 0; g < strings.groups.size(); ++g) {
    const bool real = strings.groups[g].odd > strings.begin(g);
    const bool imag = strings.groups[g].end > strings.groups[g].odd;
    if (real && imag) {
      adjoint_group<true, true>(strings, g, c, v, block, out);
    } else if (real) {
      adjoint_group<true, false>(strings, g, c, v, block, out);
    } else {
      adjoint_group<false, true>(strings, g, c, v, block, out);
    }
  }
}

#define PROJFGD_PAULI_KERNELS(T, Name)                                                           \
  std::size_t BlockRows##Name() { return Shape<T>::rows; }                                       \
  void Forward##Name(const PauliGroups& strings, std::size_t first, std::size_t last,            \
                     std::size_t blocks, const Planes<T>& left, const Planes<T>& right, T scale, \
                     T* y) {                                                                     \
    Forward(strings, first, last, blocks, left, right, scale, y);                                \
  }                                                                                              \
  void Adjoint##Name(const PauliGroups& strings, const T* c, const Planes<T>& v,                 \
                     std::size_t block, T* out) {                                                \
    Adjoint(strings, c, v, block, out);                                                          \
  }

PROJFGD_PAULI_KERNELS(float, Float)
PROJFGD_PAULI_KERNELS(double, Double)
#undef PROJFGD_PAULI_KERNELS

}  // namespace projfgd::pauli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

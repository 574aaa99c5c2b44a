// How a block of rows lies in registers. Compiled once for each instruction set.
#if defined(PROJFGD_PAULI_SHAPE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PROJFGD_PAULI_SHAPE_INL
#undef PROJFGD_PAULI_SHAPE_INL
#else
#define PROJFGD_PAULI_SHAPE_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>

#include "operators/pauli_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace projfgd::pauli::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors in a block, and groups worked on together: what the registers hold twice over.
#if HWY_TARGET <= HWY_AVX3  // and what is better than it; other architectures have larger numbers
inline constexpr std::size_t kVectors = 8;
#else
inline constexpr std::size_t kVectors = 4;
#endif

/// Strings of one group and parity from which a Hadamard transform of the block pays.
inline constexpr std::uint32_t kManyStrings = 8;

template <class T, class Entry>
struct Table16 {
  alignas(64) T at[16][16];
  constexpr explicit Table16(Entry entry) : at{} {
    for (unsigned i = 0; i < 16; ++i) {
      for (unsigned j = 0; j < 16; ++j) at[i][j] = static_cast<T>(entry(i, j));
    }
  }
};
template <class T, class Entry>
constexpr auto table16(Entry entry) {
  return Table16<T, Entry>(entry);
}

/// (-1)^{row . column}
template <class T>
inline constexpr auto kSigns = table16<T>([](unsigned i, unsigned j) {
  return std::popcount(i & j) % 2 ? -1 : 1;
});
/// row ^ column
template <class I>
inline constexpr auto kXor = table16<I>([](unsigned i, unsigned j) { return i ^ j; });

template <class T>
struct Shape {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using Block = std::array<V, kVectors>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr std::size_t rows = lanes * kVectors;
  /// Groups that differ in the lane bits of x only and share their loads.
  static constexpr std::size_t team = std::min(lanes, kVectors);

  static constexpr std::size_t block_of(std::uint32_t mask) { return mask / rows; }
  static constexpr std::size_t vector_of(std::uint32_t mask) { return mask / lanes % kVectors; }
  static constexpr std::size_t lane_of(std::uint32_t mask) { return mask % lanes; }
  static constexpr std::uint32_t negative = PauliGroups::negative / rows;

  /// +-1: the sign that z has on this block, with the string's own.
  static T block_sign(std::uint32_t z, std::size_t block) {
    const auto mask = static_cast<std::uint32_t>(block) | negative;
    return kSigns<T>.at[1][std::popcount(static_cast<std::uint32_t>(z / rows) & mask) & 1];
  }

  /// Indices that send lane l to lane l ^ x.
  static auto lane_xor(std::size_t x) {
    return hn::SetTableIndices(D(), kXor<hwy::MakeSigned<T>>.at[x]);
  }

  static const T* block(const Planes<T>& planes, std::size_t block) {
    return planes.data + block * planes.columns * 2 * rows;
  }

  /// w(z) = sum_k (-1)^{z.k} w(k) over the vectors of a block.
  static HWY_INLINE void hadamard(Block& w) {
    for (std::size_t half = 1; half < kVectors; half *= 2) {
      for (std::size_t k = 0; k < kVectors; ++k) {
        if (k & half) continue;
        const V a = w[k], b = w[k | half];
        w[k] = hn::Add(a, b);
        w[k | half] = hn::Sub(a, b);
      }
    }
  }

  /// The same over the vectors of several blocks, in memory; their number is a power of two.
  static HWY_NOINLINE void hadamard(T* w, std::size_t blocks) {
    for (std::size_t b = 0; b < blocks; ++b) {
      Block block = load(w + b * rows);
      hadamard(block);
      store(block, w + b * rows);
    }
    for (std::size_t half = 1; half < blocks; half *= 2) {
      for (std::size_t b = 0; b < blocks; ++b) {
        if (b & half) continue;
        T *low = w + b * rows, *high = w + (b | half) * rows;
        for (std::size_t k = 0; k < kVectors; ++k, low += lanes, high += lanes) {
          const V x = hn::Load(D(), low), y = hn::Load(D(), high);
          hn::Store(hn::Add(x, y), D(), low);
          hn::Store(hn::Sub(x, y), D(), high);
        }
      }
    }
  }

  /// Where the sum for z stands after that transform.
  static std::size_t slot(std::uint32_t z, std::size_t blocks) {
    return z / lanes % (blocks * kVectors) * lanes;
  }

  static HWY_INLINE Block load(const T* from) {
    Block w;
    for (std::size_t k = 0; k < kVectors; ++k) w[k] = hn::Load(D(), from + k * lanes);
    return w;
  }
  static HWY_INLINE void store(const Block& w, T* to) {
    for (std::size_t k = 0; k < kVectors; ++k) hn::Store(w[k], D(), to + k * lanes);
  }
};

/// The groups [first, last), which agree in the block bits of x, looked up by their other bits.
template <class T>
class GroupTable {
 public:
  GroupTable(const PauliGroups& strings, std::size_t first, std::size_t last) {
    group_.fill(kNone);
    for (std::size_t g = first; g < last; ++g) {
      group_[strings.groups[g].x % Shape<T>::rows] = static_cast<std::uint32_t>(g);
    }
  }
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t operator[](std::size_t low) const { return group_[low]; }
  /// True when enough of the team that begins at low is there to work on it together.
  bool team_worth(std::size_t low) const {
    std::size_t count = 0;
    for (std::size_t l = 0; l < Shape<T>::team; ++l) count += group_[low + l] != kNone;
    return 2 * count > Shape<T>::team;
  }

 private:
  std::array<std::uint32_t, Shape<T>::rows> group_;
};

/// True when direct sums are best for most of the groups [first, last).
inline bool has_few_strings(const PauliGroups& strings, std::size_t first, std::size_t last) {
  if (first == last) return true;
  const std::uint32_t count = strings.groups[last - 1].end - strings.begin(first);
  return count < 2 * kManyStrings * (last - first);
}

}  // namespace projfgd::pauli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

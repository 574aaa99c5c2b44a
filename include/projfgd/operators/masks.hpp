#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// L masks of n entries each. Masks with at most 256 different values, such as octanary ones, take
/// one byte an entry.
template <class S>
class Masks {
 public:
  /// Entry j of mask l is values[l n + j]; they become codes where that is possible.
  Masks(Index count, Index size, std::vector<S> values);
  /// Entry j of mask l is table[codes[l n + j]]. Throws InputError on a code outside the table.
  Masks(Index count, Index size, std::vector<std::uint8_t> codes, std::span<const S> table);

  Index count() const { return count_; }
  Index size() const { return size_; }
  bool coded() const { return values_.empty(); }
  /// Of masks that are coded, the codes and what they mean; of others, the values.
  std::span<const std::uint8_t> codes() const { return codes_; }
  std::span<const S> table() const { return table_; }
  std::span<const S> values() const { return values_; }

  /// Calls use(get) with get(k) = entry k of mask l, k counted from `begin`.
  template <class Use>
  void with(Index l, Index begin, const Use& use) const {
    const Index offset = l * size_ + begin;
    if (coded()) {
      use([code = codes_.data() + offset, this](Index k) { return table_[code[k]]; });
    } else {
      use([value = values_.data() + offset](Index k) { return value[k]; });
    }
  }

 private:
  Index count_, size_;
  std::vector<S> values_;
  std::vector<std::uint8_t> codes_;
  std::array<S, 256> table_{};
};

/// Families of random masks with E |d|^2 = 1 (Candes, Li, Soltanolkotabi 2015).
enum class MaskFamily {
  octanary,  ///< b1 b2: b1 of 1, -1, i, -i; b2 = 1/sqrt 2 with probability 4/5, sqrt 3 with 1/5
  ternary,   ///< sqrt 2 times 1, 0, -1 with probabilities 1/4, 1/2, 1/4, not 0 in all of them
  gaussian,  ///< complex normal
};

std::vector<std::string> mask_family_names();

/// The family of that name. Throws InputError.
MaskFamily mask_family(std::string_view name);

/// Draws L masks: codes and their table, or values for the Gaussian family.
struct MaskDraw {
  std::vector<std::uint8_t> codes;
  std::vector<std::complex<double>> table;   ///< what the codes mean
  std::vector<std::complex<double>> values;  ///< of the Gaussian family
};
MaskDraw draw_masks(MaskFamily family, Index count, Index size, std::uint64_t seed);

}  // namespace projfgd

#include "projfgd/operators/masks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "projfgd/core/error.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {

template <class S>
Masks<S>::Masks(Index count, Index size, std::vector<S> values)
    : count_(count), size_(size), values_(std::move(values)) {
  std::vector<std::uint8_t> codes(values_.size());
  std::size_t known = 0;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const auto end = table_.begin() + known, at = std::find(table_.begin(), end, values_[k]);
    if (at == end) {
      if (known == table_.size()) return;
      table_[known++] = values_[k];
    }
    codes[k] = static_cast<std::uint8_t>(at - table_.begin());
  }
  codes_ = std::move(codes);
  values_ = {};
}

template <class S>
Masks<S>::Masks(Index count, Index size, std::vector<std::uint8_t> codes, std::span<const S> table)
    : count_(count), size_(size), codes_(std::move(codes)) {
  const auto bad = std::find_if(codes_.begin(), codes_.end(),
                                [&](std::uint8_t code) { return code >= table.size(); });
  if (bad != codes_.end()) {
    throw InputError(fmt::format("mask entry {}: found code {}, expected less than {}",
                                 bad - codes_.begin(), *bad, table.size()));
  }
  std::copy_n(table.begin(), std::min(table.size(), table_.size()), table_.begin());
}

template class Masks<std::complex<float>>;
template class Masks<std::complex<double>>;

namespace {

struct NamedFamily {
  const char* name;
  MaskFamily family;
};

constexpr NamedFamily named_families[] = {{"octanary", MaskFamily::octanary},
                                          {"ternary", MaskFamily::ternary},
                                          {"gaussian", MaskFamily::gaussian}};

}  // namespace

std::vector<std::string> mask_family_names() { return names_of(named_families); }

MaskFamily mask_family(std::string_view name) {
  return require_named("masks", named_families, name).family;
}

namespace {

/// An entry that all ternary masks block is let through by one of them, plus or minus.
void show_every_entry(const RandomStream& random, Index count, Index size,
                      std::vector<std::uint8_t>& codes) {
  for (Index j = 0; j < size; ++j) {
    bool seen = false;
    for (Index l = 0; l < count && !seen; ++l) seen = codes[l * size + j] != 1;
    const auto pick = static_cast<Index>(random.below(2 * count, count * size + j));
    if (!seen) codes[pick / 2 * size + j] = static_cast<std::uint8_t>(pick % 2 * 2);
  }
}

}  // namespace

MaskDraw draw_masks(MaskFamily family, Index count, Index size, std::uint64_t seed) {
  const RandomStream random(seed, 0x3A5C);
  const auto total = static_cast<std::size_t>(count * size);
  MaskDraw draw;
  if (family == MaskFamily::gaussian) {
    draw.values.resize(total);
    for (std::size_t k = 0; k < total; ++k) {
      draw.values[k] = {random.normal(2 * k) * std::sqrt(0.5),
                        random.normal(2 * k + 1) * std::sqrt(0.5)};
    }
    return draw;
  }
  draw.codes.resize(total);
  if (family == MaskFamily::octanary) {
    for (const double size_of : {std::sqrt(0.5), std::sqrt(3.0)}) {
      for (const std::complex<double> turn : {std::complex(1.0, 0.0), std::complex(-1.0, 0.0),
                                              std::complex(0.0, 1.0), std::complex(0.0, -1.0)}) {
        draw.table.push_back(size_of * turn);
      }
    }
    for (std::size_t k = 0; k < total; ++k) {  // 16 choices of size and 4 turns from 20
      const auto pick = static_cast<unsigned>(random.below(20, k));
      draw.codes[k] = static_cast<std::uint8_t>(pick < 16 ? pick % 4 : 4 + pick % 4);
    }
  } else {
    draw.table = {std::sqrt(2.0), 0.0, -std::sqrt(2.0)};
    constexpr std::uint8_t code[4] = {0, 1, 1, 2};
    for (std::size_t k = 0; k < total; ++k) draw.codes[k] = code[random.below(4, k)];
    show_every_entry(random, count, size, draw.codes);
  }
  return draw;
}

}  // namespace projfgd

#include "projfgd/core/did_you_mean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace projfgd {
namespace {

/// The letters to change, add or leave out to make one word of the other (Levenshtein).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t longest_name = 64;  // of ours; a longer word is no slip of one
  if (names.empty() || word.size() > longest_name) return "";
  const auto nearest = std::ranges::min_element(
      names, {}, [&](const std::string& name) { return edits(word, name); });
  // One slip in three letters: more makes any short word look like any other.
  if (3 * edits(word, *nearest) > word.size() + 1) return "";
  return fmt::format(" (did you mean {}?)", *nearest);
}

}  // namespace projfgd

#include "projfgd/core/did_you_mean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "projfgd/core/require.hpp"

namespace projfgd {
namespace {

/// The letters to change, add, leave out or swap with their neighbour to make one word of the other
/// (Damerau 1964).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

std::string lowercase(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t longest_name = 64;  // of ours; a longer word is no slip of one
  if (names.empty() || word.size() > longest_name) return "";
  // Capitals are no slip, and neither is a name that was cut short.
  constexpr std::size_t shortest_beginning = 3;
  const std::string given = lowercase(word);
  const auto slips = [&](const std::string& name) {
    const bool begun = given.size() >= shortest_beginning && lowercase(name).starts_with(given);
    return begun ? 0 : edits(given, lowercase(name));
  };
  const auto nearest = std::ranges::min_element(names, {}, slips);
  // One slip in three letters: more makes any short word look like any other.
  if (3 * slips(*nearest) > word.size() + 1) return "";
  return fmt::format(" (did you mean {}?)", *nearest);
}

std::string unknown_name(std::string_view what, std::string_view word,
                         const std::vector<std::string>& names, const std::string& more) {
  return fmt::format("{}: found \"{}\"{}, expected {}", what, word, did_you_mean(word, names),
                     either(names, more));
}

}  // namespace projfgd

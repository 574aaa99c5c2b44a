#include "jobs/phase/causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace projfgd {
namespace {

/// "3", "3 and 4", "3, 4 and 17", "3, 4, 17 and 5 more".
std::string in_a_row(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  if (names.size() == 1) return names.front();
  const std::size_t shown = std::min(names.size() - 1, most);
  return fmt::format(
      "{} and {}", fmt::join(names.begin(), names.begin() + shown, ", "),
      names.size() <= most + 1 ? names.back() : fmt::format("{} more", names.size() - shown));
}

}  // namespace

std::string outstanding_patterns(const std::vector<double>& misfits, double far_more) {
  if (misfits.size() < 3) return {};
  std::vector<double> sorted = misfits;
  std::ranges::sort(sorted);
  const double usual = sorted[(sorted.size() - 1) / 2];
  std::vector<std::string> names;
  for (std::size_t l = 0; l < misfits.size(); ++l) {
    if (misfits[l] > std::max(far_more * usual, doubtful_phase_misfit))
      names.push_back(std::to_string(l));
  }
  if (names.empty()) return {};
  return fmt::format(
      "masks or data of pattern{} {} (counted from 0), whose residual{} up to {:.0f}% (median "
      "{:.2g}%)",
      names.size() == 1 ? "" : "s", in_a_row(names), names.size() == 1 ? " is" : "s are",
      100 * sorted.back(), 100 * usual);
}

namespace {

/// That patterns are brighter than the masks say, in words, those that differ most.
std::string exposures_line(const std::vector<double>& factors) {
  constexpr double part = 0.3;  // of the largest difference; masks that shade leave some to others
  const auto difference = [](double factor) { return std::abs(std::log(factor)); };
  const double largest = difference(std::ranges::max(factors, {}, difference));
  std::vector<std::string> names;
  for (std::size_t l = 0; l < factors.size(); ++l) {
    if (difference(factors[l]) < part * largest) continue;
    names.push_back(fmt::format("{} ({:.2g} times)", l, factors[l]));
  }
  return fmt::format(
      "different exposures explain most of it: counting from 0, pattern{} {} {} brighter or darker "
      "than the masks predict; divide each pattern by its exposure",
      names.size() == 1 ? "" : "s", in_a_row(names), names.size() == 1 ? "is" : "are");
}

/// What may be behind the shapes and numbers of the arrays.
void add_layouts(const PhaseData& data, std::vector<std::string>& causes) {
  constexpr Index many = 16;
  if (data.vectors.size() > 0) return;
  if (data.angles_as_masks) {
    causes.emplace_back("masks given as phase angles (use exp(i angle))");
  }
  if (data.height == 1 && data.patterns >= many) {
    causes.push_back(
        fmt::format("one pattern of an image read as {0} patterns of a signal (give it the shape 1 "
                    "x {0} x {1})",
                    data.patterns, data.width));
  }
  if (data.height > 2 * data.width && data.patterns > 2 * data.width && data.patterns >= many) {
    causes.push_back(fmt::format(
        "an array with the pattern index last (move the last axis, of length {}, to the front)",
        data.width));
  }
}

}  // namespace

bool is_real_set(const std::string& set) {
  return set == "real" || set == "nonnegative" || set == "nonnegative-l1";
}

Index free_numbers(const std::string& set, Index pixels) {
  if (set == "none" || set == "support") return 2 * pixels;
  return set == "real" || set == "nonnegative" ? pixels : 0;
}

std::string likely_causes(const PhaseData& data, const PhaseOutcome& outcome) {
  if (outcome.ended() && !outcome.fit.exposures.empty())
    return exposures_line(outcome.fit.exposures);
  const std::string& set = outcome.set;
  std::vector<std::string> causes;
  if (outcome.fit.blind > 0) causes.emplace_back("dead detector pixels (--bad-pixels)");
  if (const std::string patterns = outstanding_patterns(outcome.fit.patterns, 2);
      !patterns.empty()) {
    causes.push_back("an error in the " + patterns);
  }
  if (!data.open && outcome.different <= 2 * free_numbers(set, outcome.free)) {
    causes.emplace_back("too few patterns (a --constraint or --support can make up for them)");
  }
  if (const double counted = outcome.fit.counted;
      counted > 0 &&
      counted < static_cast<double>(photons_a_number * free_numbers(set, outcome.free))) {
    causes.push_back(fmt::format("too few photons ({:.3g} in all)", counted));
  }
  if (outcome.fit.background) {
    causes.emplace_back("a background that was not subtracted (no intensity is near 0)");
  }
  add_layouts(data, causes);
  if (outcome.support) causes.emplace_back("a --support that is too small");
  if (set != "none" && set != "support") {
    const bool ball = set == "l1-ball" || set == "nonnegative-l1";
    causes.push_back(ball ? fmt::format("an image that violates the constraint {}", set)
                          : fmt::format("an image that is not {}", set));
  }
  if (data.open) {
    if (!outcome.support) causes.emplace_back("missing --masks");
  } else if (data.vectors.size() > 0) {
    causes.emplace_back("measurement vectors that belong to other data");
  } else {
    causes.emplace_back("masks that do not match the patterns (check their order)");
    causes.emplace_back(data.conjugated ? "--conjugate-masks, given although the masks are right"
                                        : "masks that should be complex-conjugated");
  }
  // Patterns that begin elsewhere are those of the image times a checkerboard of signs, which sets
  // of complex images hold as well.
  if (data.vectors.size() == 0 && is_real_set(set)) {
    causes.emplace_back(data.centred
                            ? "--centred, given although the patterns begin with the zero frequency"
                            : "a missing --centred");
  }
  causes.emplace_back("amplitudes given instead of intensities (--amplitudes)");
  constexpr std::size_t most = 2;  // the likeliest come first, the rest is in the guide
  causes.resize(std::min(causes.size(), most));
  return fmt::format("the likely cause is {}", fmt::join(causes, ", or "));
}

}  // namespace projfgd

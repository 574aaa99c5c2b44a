#include "jobs/phase/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/phase/causes.hpp"
#include "jobs/phase/search_numbers.hpp"
#include "jobs/phase/symmetry.hpp"
#include "projfgd/io/report.hpp"

namespace projfgd {
namespace {

/// Data for each real number from which on one run of a method tells noise from a wrong image; a
/// search would have found a better one.
constexpr double data_for_one_run = 6;

/// Whether channel c leaves what noise would leave, or nothing.
bool is_explained(const PhaseOutcome& outcome, std::size_t c) {
  const PhaseFit& fit = outcome.fit;
  const double misfit = fit.misfits[c];
  if (misfit <= outcome.exact) return true;
  // Attempts agree on the image that takes a background for light, and it may leave little.
  if (fit.background && !fit.noise[c].are_photons()) return false;
  const SearchRecord& search = outcome.searches[c];
  const double numbers = outcome.numbers;
  const double data = static_cast<double>(outcome.different);
  const bool much = !(misfit <= doubtful_phase_misfit);
  const bool dim = fit.counted > 0 && fit.counted < photons_a_number * numbers;
  if (!much && !search.searched) return true;
  if (!much && search.found > 1) return true;
  if (much && (!outcome.ended() || dim || data < search::data_under_noise * numbers)) return false;
  if (fit.noise[c].are_photons()) return true;
  const bool sure =
      search.searched ? search.accepted || search.found > 1 : data >= data_for_one_run * numbers;
  return sure && fit.noise[c].are_detector();
}

/// That intensities do not tell one image from another, or need not.
void warn_of_ambiguity(const PhaseData& data, const PhaseOutcome& outcome,
                       std::vector<std::string>& warnings) {
  const Index numbers = free_numbers(outcome.set, outcome.unknowns);
  const char* const kind = outcome.set == "none" ? "complex" : "real";
  const char* const ambiguous = explains(outcome) ? ": other images may fit as well" : "";
  const Index different = outcome.different;
  if (data.open && !outcome.support) {
    warnings.push_back(fmt::format(
        "{} without masks {} not determine the image: give --masks, or a --support around the "
        "image",
        data.patterns == 1 ? "one pattern" : "patterns", data.patterns == 1 ? "does" : "do"));
  } else if (data.open && data.height == 1) {
    warnings.emplace_back(
        "a pattern without masks does not determine a signal, even with a support: many other "
        "signals fit as well");
  } else if (!outcome.support && different < numbers) {
    warnings.push_back(
        fmt::format("{} intensities do not determine {} real unknowns ({} {} pixels): {}measure "
                    "more patterns or add a --constraint",
                    different, numbers, outcome.unknowns, kind,
                    explains(outcome) ? "the image is one of many that fit; " : ""));
  } else if (!outcome.support && outcome.set == "l1-ball" && different <= 2 * outcome.unknowns) {
    warnings.push_back(
        fmt::format("{} intensities may not determine {} complex pixels, even sparse ones{}",
                    different, outcome.unknowns, ambiguous));
  } else if (!outcome.support && different < 2 * numbers - numbers / outcome.unknowns) {
    warnings.push_back(
        fmt::format("{} intensities may not determine {} real unknowns ({} {} pixels), which "
                    "usually takes about twice as many{}",
                    different, numbers, outcome.unknowns, kind, ambiguous));
  }
}

/// "12%", "0.8%"
std::string percent(double part) {
  return part <= 1 ? fmt::format("{:.2g}%", 100 * part) : "more than 100%";
}

/// What is left unexplained is what the user has asked for.
bool reached_target(const PhaseOutcome& outcome) {
  return !outcome.searches.empty() &&
         std::ranges::all_of(outcome.searches, &SearchRecord::reached_target);
}

/// Why the answer is not trusted, and what to do.
std::string unexplained_line(const PhaseData& data, const PhaseOutcome& outcome) {
  const std::string left =
      fmt::format("the image leaves {} of the amplitudes unexplained", percent(outcome.fit.misfit));
  for (const SearchRecord& search : outcome.searches) {
    if (!search.better_reading.empty()) return search.better_reading;
  }
  if (!outcome.ended()) {
    return fmt::format(
        "the run stopped before it converged, and {}; if more iterations do not help, {}", left,
        likely_causes(data, outcome));
  }
  const bool disputed = std::ranges::any_of(outcome.searches, [](const SearchRecord& search) {
    return search.searched && search.attempts > 1 && search.found == 1;
  });
  return fmt::format("{}{} and is probably wrong; {}",
                     disputed ? "no two attempts found the same image, and " : "", left,
                     likely_causes(data, outcome));
}

}  // namespace

bool explains(const PhaseOutcome& outcome) {
  const PhaseFit& fit = outcome.fit;
  if (!std::isfinite(fit.misfit) || fit.amplitudes || fit.blind > 0) return false;
  for (std::size_t c = 0; c < fit.misfits.size(); ++c) {
    if (!is_explained(outcome, c)) return false;
  }
  return true;
}

bool determines(const PhaseData& data, const PhaseOutcome& outcome) {
  if (data.open && (!outcome.support || data.height == 1)) return false;
  const double numbers = outcome.numbers;
  return static_cast<double>(outcome.different) >= search::determined * numbers;
}

std::string noise_note(const PhaseOutcome& outcome) {
  const double misfit = outcome.fit.misfit;
  if (!(misfit > doubtful_phase_misfit) || !explains(outcome)) return "";
  return fmt::format(
      "relative amplitude residual {:.0f}%, consistent with noise or an unmodelled background",
      100 * misfit);
}

std::vector<std::string> phase_warnings(const PhaseData& data, const PhaseOutcome& outcome) {
  std::vector<std::string> warnings;
  if (data.codes_as_numbers) {
    warnings.emplace_back(
        "the masks are small whole numbers and were used as they are; if they are codes, give "
        "their table with --mask-values");
  }
  if (const Index left = data.count_left_out(); left > outcome.measurements) {
    warnings.push_back(
        fmt::format("{} of {} intensities are marked as bad: --bad-pixels must be nonzero at the "
                    "bad pixels, not at the good ones",
                    left, left + outcome.measurements));
  }
  if (std::isfinite(outcome.fit.misfit)) warn_of_ambiguity(data, outcome, warnings);
  if (outcome.own_twin) {
    warnings.emplace_back(
        "the support is symmetric: the image and its twin, rotated by 180 degrees and conjugated, "
        "fit equally well, and either may be found");
  }
  if (outcome.alternates) {
    warnings.push_back(alternation_line(
        "image", data.centred
                     ? "--centred was given, but the patterns may begin with the zero frequency"
                     : "--centred may be missing"));
  }
  if (outcome.dark > 0) {
    warnings.push_back(fmt::format(
        "{} of {} pixels are dark in every mask: they were not measured and are 0 in the image",
        outcome.dark, outcome.unknowns));
  }
  if (outcome.fit.blind > 0) {
    warnings.push_back(fmt::format(
        "{} {} 0 in every pattern, although the image predicts light there: mark dead detector "
        "pixels with --bad-pixels",
        format_count(outcome.fit.blind, "pixel"), outcome.fit.blind == 1 ? "is" : "are"));
  }
  if (outcome.status == Status::diverged) {
    warnings.emplace_back("the run diverged and has no usable result");
  } else if (outcome.status != Status::interrupted && !explains(outcome) &&
             !reached_target(outcome)) {
    warnings.push_back(unexplained_line(data, outcome));
  }
  if (outcome.ended() && explains(outcome)) {
    if (const std::string line = outstanding_patterns(outcome.fit.patterns, far_more_than_noise);
        !line.empty()) {
      warnings.push_back("something may be wrong with the " + line);
    }
  }
  const bool reading_known = std::ranges::any_of(
      outcome.searches, [](const SearchRecord& search) { return !search.better_reading.empty(); });
  if (outcome.fit.amplitudes && !reading_known) {
    warnings.emplace_back(
        "the data vary like amplitudes, not like intensities: use --amplitudes if they are; a "
        "blurred detector or partially coherent light also reduces the contrast");
  }
  return warnings;
}

}  // namespace projfgd

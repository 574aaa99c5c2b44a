#include "jobs/phase/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/phase/causes.hpp"
#include "jobs/phase/search_numbers.hpp"
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
  const SearchRecord& search = outcome.searches[c];
  const double numbers = outcome.numbers;
  const double data = static_cast<double>(outcome.different);
  const bool much = !(misfit <= doubtful_phase_misfit);
  const bool dim = fit.counted > 0 && fit.counted < photons_a_number * numbers;
  if (!much && !search.searched) return true;
  if (!much && search.found > 1) return true;
  if (much &&
      (!outcome.ended() || dim || fit.background || data < search::data_under_noise * numbers))
    return false;
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
  const char* const ambiguous = explains(outcome) ? ": the answer may be one of several" : "";
  const Index different = outcome.different;
  if (data.open && !outcome.support) {
    warnings.push_back(fmt::format(
        "{} without masks {} not tell one image from another: give the --masks, or a --support "
        "around the image",
        data.patterns == 1 ? "one pattern" : "patterns", data.patterns == 1 ? "does" : "do"));
  } else if (data.open && data.height == 1) {
    warnings.emplace_back(
        "a pattern without masks does not determine a signal, even with a support: the answer is "
        "one of many");
  } else if (!outcome.support && different < numbers) {
    warnings.push_back(fmt::format(
        "{} intensities do not determine the {} numbers of {} {} pixels: {}more patterns or a set "
        "tell them apart",
        different, numbers, outcome.unknowns, kind,
        explains(outcome) ? "the answer is one of many, and " : ""));
  } else if (!outcome.support && outcome.set == "l1-ball" && different <= 2 * outcome.unknowns) {
    warnings.push_back(
        fmt::format("{} intensities need not determine {} complex pixels, sparse as they may be{}",
                    different, outcome.unknowns, ambiguous));
  } else if (!outcome.support && different < 2 * numbers - numbers / outcome.unknowns) {
    warnings.push_back(fmt::format(
        "{} intensities need not determine the {} numbers of {} {} pixels, which takes about twice "
        "as many{}",
        different, numbers, outcome.unknowns, kind, ambiguous));
  }
}

/// "12%", "0.8%"
std::string percent(double part) {
  return part <= 1 ? fmt::format("{:.2g}%", 100 * part) : "more than all";
}

/// What is left unexplained is what the user has asked for.
bool reached_target(const PhaseOutcome& outcome) {
  return !outcome.searches.empty() &&
         std::ranges::all_of(outcome.searches, &SearchRecord::reached_target);
}

/// Why the answer is not trusted, and what to do.
std::string unexplained_line(const PhaseData& data, const PhaseOutcome& outcome) {
  const std::string left = fmt::format("the answer leaves {} of the amplitudes unexplained",
                                       percent(outcome.fit.misfit));
  for (const SearchRecord& search : outcome.searches) {
    if (!search.better_reading.empty()) return left + ": " + search.better_reading;
  }
  if (!outcome.ended()) {
    return fmt::format("{}: the run was stopped before its end; if a longer one does not help, {}",
                       left, likely_causes(data, outcome));
  }
  const bool disputed = std::ranges::any_of(outcome.searches, [](const SearchRecord& search) {
    return search.searched && search.attempts > 1 && search.found == 1;
  });
  const bool more_may_help = !data.open && outcome.fit.exposures.empty();
  return fmt::format("{}{}: unless the data are that noisy it is wrong; {}{}",
                     disputed ? "no two attempts came to the same image, and " : "", left,
                     likely_causes(data, outcome),
                     more_may_help ? "; else more patterns, a set or another seed may help" : "");
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
        "the masks are whole numbers from 0 up, as codes are, and were taken as they stand: "
        "--mask-values names the table of what codes mean");
  }
  if (const Index left = data.count_left_out(); left > outcome.measurements) {
    warnings.push_back(fmt::format(
        "{} of {} intensities are marked as bad: a mask of bad pixels is not zero where the "
        "detector does not see",
        left, left + outcome.measurements));
  }
  if (std::isfinite(outcome.fit.misfit)) warn_of_ambiguity(data, outcome, warnings);
  if (outcome.own_twin) {
    warnings.emplace_back(
        "the support is its own mirror image: the image and its twin, turned by 180 degrees and "
        "conjugated, are both answers, and either may come out");
  }
  if (outcome.alternates) {
    warnings.push_back(fmt::format(
        "neighbouring pixels of the answer have opposite signs, as where {}: if so, the moduli are "
        "right and the phases are not",
        data.centred ? "--centred was said of patterns that begin with the zero frequency"
                     : "--centred was left out"));
  }
  if (outcome.dark > 0) {
    warnings.push_back(fmt::format(
        "{} of {} pixels are dark in every mask: nothing was measured of them, and they are 0 in "
        "the answer",
        outcome.dark, outcome.unknowns));
  }
  if (outcome.fit.blind > 0) {
    warnings.push_back(fmt::format(
        "{} {} 0 in every pattern, although the answer sends light there: --bad-pixels tells what "
        "the detector does not see",
        format_count(outcome.fit.blind, "pixel"), outcome.fit.blind == 1 ? "is" : "are"));
  }
  if (outcome.status == Status::diverged) {
    warnings.emplace_back("the run diverged, and its answer is none");
  } else if (!explains(outcome) && !reached_target(outcome)) {
    warnings.push_back(unexplained_line(data, outcome));
  }
  if (outcome.ended() && explains(outcome)) {
    if (const std::string line = outstanding_patterns(outcome.fit.patterns, far_more_than_noise);
        !line.empty()) {
      warnings.push_back("something may be wrong with the " + line);
    }
  }
  if (outcome.fit.amplitudes) {
    warnings.emplace_back(
        "the data vary as amplitudes do, not as intensities: square them if that is what they are; "
        "a blurred detector or light that is coherent in part leaves as little contrast");
  }
  return warnings;
}

}  // namespace projfgd

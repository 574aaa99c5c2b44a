#include "jobs/tomography/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "jobs/tomography/measured.hpp"
#include "projfgd/measures/noise.hpp"

namespace projfgd {
namespace {

constexpr double mended_by_other_order = 2;  // times better
constexpr double mended_without = 0.95;      // of chi-square, by leaving something out
constexpr double missing_trace = 0.05;       // worth a word

bool are_counts(const Evidence& e) { return std::holds_alternative<CountsData>(e.data.measured); }
bool are_projectors(const Evidence& e) { return has_free_trace(e.data.measured); }

/// How large the misfit of `fit` is, in the unit that size_of_misfit() has for `test`.
double misfit_as(const GoodnessTest& test, const GoodnessTest& fit) {
  if (test.is_far()) return fit.times_noise();
  if (!test.likelihood || test.freedom == 0) return fit.good.ratio();
  return fit.good.chi_square / test.freedom;
}

/// How large the misfit is, in words.
std::string size_of_misfit(const GoodnessTest& test, const char* noise) {
  const double size = misfit_as(test, test);
  if (test.is_far())
    return fmt::format("the fit is {:.1f} times worse than expected from {}", size, noise);
  if (!test.likelihood || test.freedom == 0) {
    return fmt::format("the residual is {:.2f} times the most that {} can explain", size, noise);
  }
  return fmt::format("chi-square is {:.2f} per degree of freedom, more than {} can explain", size,
                     noise);
}

bool may_grow(const Evidence& e) { return e.settings.rank != 0 && !e.has_full_rank(); }

/// What else the rank may do; empty where nothing is to be expected of it.
std::string rank_hint(const Evidence& e) {
  if (may_grow(e)) return "a larger --rank may help, or ";
  const bool guessed = e.settings.rank == 0 && !e.model.noise.likelihood;
  return guessed && !e.has_full_rank() ? "--rank full may help, or " : "";
}

/// That the other order of the labels fits; empty where it does not.
std::string reversed_labels(const Evidence& e, const std::string& poor) {
  const GoodnessTest& test = e.fit.test;
  if (!e.fit.labels_reversed) return "";
  const GoodnessTest& turned = e.fit.labels_reversed->test;
  if (!turned.fits() && turned.times_noise() * mended_by_other_order >= test.times_noise()) {
    return "";
  }
  const MeasurementFormat& format = e.input.format;
  return fmt::format(
      "{}; labels and bit strings have opposite qubit orders: --label-order {} (or --bit-order {}) "
      "reduces it to {:.1f}",
      poor, format.label_qubit0_left ? "qubit0-right" : "qubit0-left",
      format.bits_qubit0_left ? "qubit0-right" : "qubit0-left", misfit_as(test, turned));
}

/// The setting that fits worst, where there are several.
std::optional<SettingMisfit> worst_setting(const Evidence& e) {
  const auto all =
      setting_misfits(e.data.measured, e.fit.predictions, e.input.format.label_qubit0_left);
  if (all.size() < 2) return std::nullopt;
  return *std::ranges::max_element(all, {}, &SettingMisfit::chi_square);
}

std::string in_words(const SettingMisfit& setting) {
  return fmt::format("setting {} (chi-square {:.3g} times its expected value)", setting.label,
                     setting.chi_square);
}

/// Which settings contradict each other; empty where none do.
std::string contradiction(const Evidence& e, const std::string& poor) {
  const auto& conflict = e.fit.trust.conflict;
  if (!conflict) return "";
  const auto& data = std::get<CountsData>(e.data.measured);
  const Setting& setting = data.settings[static_cast<std::size_t>(conflict->setting)];
  const auto letter = [](std::uint8_t basis) { return basis < 3 ? "XYZ"[basis] : '?'; };
  const std::string who =
      conflict->second_qubit < 0
          ? fmt::format("qubit {} measured in {} gives", conflict->qubit, letter(conflict->basis))
          : fmt::format("the product of qubit {} in {} and qubit {} in {} gives", conflict->qubit,
                        letter(conflict->basis), conflict->second_qubit,
                        letter(conflict->second_basis));
  const std::string label = setting_label(setting, e.input.format.label_qubit0_left);
  const std::optional<SettingMisfit> worst = worst_setting(e);
  return fmt::format(
      "{}; the settings contradict each other: {} {:.3f} in setting {} but {:.3f} on average{}; "
      "the "
      "state or the bases may have drifted",
      poor, who, conflict->value, label, conflict->others,
      worst && worst->label != label ? fmt::format(", and what fits worst is {}", in_words(*worst))
                                     : "");
}

/// The count that contradicts all others; empty where none does by itself.
std::string wrong_count(const Evidence& e, const std::string& poor) {
  const auto& wrong = e.fit.wrong_count;
  if (!wrong) return "";
  return fmt::format(
      "{}; {} was counted {:.6g} times, but the other counts predict {:.0f} ({:.1f} standard "
      "deviations): check this count and its alignment{}",
      poor, wrong->label, wrong->count, wrong->expected, wrong->deviations,
      wrong->alone ? "" : "; other counts do not fit either");
}

std::string misfit_of_counts(const Evidence& e) {
  const std::string poor = size_of_misfit(e.fit.test, "shot noise");
  if (std::string line = wrong_count(e, poor); !line.empty()) return line;
  if (std::string line = reversed_labels(e, poor); !line.empty()) return line;
  if (std::string line = contradiction(e, poor); !line.empty()) return line;
  const char* readout = "readout error is not modelled (--readout)";
  const char* bases = "the measurement bases may be miscalibrated";
  const bool modelled = !e.data.choice.readout.empty();
  const std::optional<SettingMisfit> worst = worst_setting(e);
  const std::string hint = rank_hint(e),
                    where = poor + (worst ? ", most of all in " + in_words(*worst) : "");
  if (!hint.empty()) return fmt::format("{}: {}{}", where, hint, modelled ? bases : readout);
  return fmt::format("{}: {}{}", where, bases, modelled ? "" : fmt::format(", or {}", readout));
}

std::string misfit_of_values(const Evidence& e) {
  const std::string hint = rank_hint(e);
  return fmt::format("{}: {}the standard errors may be too small{}",
                     size_of_misfit(e.fit.test, "the standard errors"), hint,
                     hint.empty() ? ", or the values may not come from a single state" : "");
}

std::string misfit_of_projectors(const Evidence& e) {
  const std::string poor = size_of_misfit(e.fit.test, "counting noise");
  if (std::string line = wrong_count(e, poor); !line.empty()) return line;
  return fmt::format(
      "{}: {}the intensity may have drifted between projectors (give their exposures), or the "
      "analysers may be misaligned",
      poor, rank_hint(e));
}

/// The lowest count, where it leaves no likelihood to fit by.
std::string below_zero(const Evidence& e) {
  const auto* data = std::get_if<CountsData>(&e.data.measured);
  if (data == nullptr || e.input.loss != state_loss::automatic) return "";
  Index lowest = 0;
  const double count = data->counts.minCoeff(&lowest);
  if (count >= 0) return "";
  std::string bits;  // as they stand in the file
  for (int j = 0; j < data->qubits; ++j) {
    bits.insert(bits.begin(), (lowest >> j & 1) != 0 ? '1' : '0');
  }
  if (e.input.format.bits_qubit0_left) std::ranges::reverse(bits);
  const std::string label =
      setting_label(data->settings[lowest >> data->qubits], e.input.format.label_qubit0_left);
  return fmt::format(
      "outcome {} of setting {} has the negative count {:.3g}, so there is no likelihood; ", bits,
      label, count);
}

// The checks. Each says what may be wrong, if anything, and knows no other.

void check_scatter(const Evidence& e, Judgement& out) {
  const GoodnessTest& test = e.fit.test;
  if (!test.is_possible()) return;
  if (!e.fit.converged) return;
  out.fits_data = test.fits();
  if (test.fits()) return;
  std::string line = are_counts(e)       ? misfit_of_counts(e)
                     : are_projectors(e) ? misfit_of_projectors(e)
                                         : misfit_of_values(e);
  if (e.fit.trust.widened > 1 && e.fit.trust.purity) {
    line += fmt::format("; the intervals are widened by a factor of {:.2g}", e.fit.trust.widened);
    if (e.fit.trust.refits == 0) {
      line += ", and a value may lie at the end of its interval, which comes from the data alone";
    }
  }
  out.warnings.push_back(std::move(line));
}

/// A calibration that belongs to other detectors, or to another order of them, spoils the fit.
void check_readout(const Evidence& e, Judgement& out) {
  if (!e.fit.without_readout) return;
  const double with = e.fit.test.good.chi_square;
  const double without = e.fit.without_readout->test.good.chi_square;
  if (without >= mended_without * with) return;
  out.warnings.push_back(
      fmt::format("the readout calibration makes the fit worse (chi-square {:.4g} with it, {:.4g} "
                  "without): it may belong to other detectors or use another qubit order",
                  with, without));
}

/// Values without errors that no state has, as far as the fit can tell.
void check_values(const Evidence& e, Judgement& out) {
  if (!misses_values(e.data.measured, e.fit.test.good) || !e.fit.converged || may_grow(e)) return;
  out.fits_data = false;
  const double miss =
      e.fit.test.good.residual / std::sqrt(static_cast<double>(e.fit.predictions.size()));
  const std::string in_set =
      e.settings.constraint.empty() ? "" : " within the constraint " + e.settings.constraint;
  out.warnings.push_back(fmt::format(
      "the fit misses the values by {:.2f} (root mean square): {}", miss,
      e.has_full_rank()  // then the fit is the best of all
          ? fmt::format("no state{} has these values; give standard errors if they are that noisy",
                        in_set)
          : "try --rank full to see whether any state has these values"));
}

/// Frequencies without shots show by their scatter alone that labels and bits are opposed.
void check_order(const Evidence& e, Judgement& out) {
  if (!e.fit.trust.labels_seem_reversed) return;
  const MeasurementFormat& format = e.input.format;
  out.fits_data = false;
  out.warnings.push_back(fmt::format(
      "labels and bit strings seem to have opposite qubit orders: qubits measured in the same "
      "bases agree between settings only with --label-order {} (or --bit-order {})",
      format.label_qubit0_left ? "qubit0-right" : "qubit0-left",
      format.bits_qubit0_left ? "qubit0-right" : "qubit0-left"));
}

/// What the data leave open: they are too few for the parameters of the rank, or do not see some
/// direction in which the state can move.
void check_determined(const Evidence& e, Judgement& out) {
  if (misses_values(e.data.measured, e.fit.test.good)) return;
  const double asked = parameters(e.fit.state.rows(), e.rank()) - 1;
  const double determined = e.model.noise.determined;
  const auto& quantities = e.fit.trust.undetermined;
  const std::string open =
      quantities.empty() ? "" : fmt::format("; not determined: {}", fmt::join(quantities, ", "));
  if (determined < asked) {
    out.warnings.push_back(
        fmt::format("the data determine only {0} of the {2} parameters of a state of rank {1}: the "
                    "answer is one of many that fit{3}",
                    determined, e.rank(), asked, open));
  } else if (e.fit.trust.determined == false) {
    out.warnings.push_back(
        "the data do not determine the state: the answer is one of many that fit" + open);
  }
}

/// What became of the trace where the answer fits before it is scaled.
void check_trace(const Evidence& e, Judgement& out) {
  if (are_projectors(e)) return;  // X is a state times an intensity
  const bool fits = !e.fit.factor_test.is_possible() || e.fit.factor_test.fits();
  if (!fits || e.fit.trace >= 1 - missing_trace) return;
  out.warnings.push_back(
      fmt::format("the fitted trace is {:.3f} and the state was rescaled to trace 1; use "
                  "--constraint frobenius-sphere:1 to fit it with trace 1",
                  e.fit.trace));
}

/// Why a fit that leaves the noise aside cannot tell the rank, and what can.
void check_rank(const Evidence& e, Judgement& out) {
  if (e.settings.rank != 0 || e.model.noise.likelihood) return;
  if (noise_is_known(e.data.measured)) {
    out.warnings.push_back(below_zero(e) +
                           "least squares does not weight the data by their noise, so the rank is "
                           "a guess: try --loss weighted");
    return;
  }
  out.warnings.push_back(fmt::format(
      "the noise of the data is unknown, so the rank is a guess: {}",
      are_counts(e) ? "give the number of shots with --shots" : "give standard errors"));
}

/// What is not judged where only the outcomes that were seen are kept.
void check_outcomes(const Evidence& e, Judgement& out) {
  if (keeps_all_outcomes(e.data.measured)) return;
  out.warnings.push_back(
      fmt::format("chi-square, error bars, the optimality gap and whether the data determine the "
                  "state are not computed beyond {} qubits",
                  most_qubits_kept_whole));
}

using Check = void (*)(const Evidence&, Judgement&);
constexpr Check checks[] = {check_scatter,    check_order, check_readout, check_values,
                            check_determined, check_trace, check_rank,    check_outcomes};

}  // namespace

Judgement judge(const Evidence& evidence) {
  Judgement out;
  out.test = evidence.fit.test;
  out.warnings = notes_of(evidence.data.measured);
  for (const Check check : checks) check(evidence, out);
  return out;
}

}  // namespace projfgd

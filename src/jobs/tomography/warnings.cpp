#include "jobs/tomography/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "projfgd/measures/noise.hpp"
#include "projfgd/measures/state.hpp"

namespace projfgd {
namespace {

constexpr double mended_by_other_order = 2;  // times better
constexpr double mended_without = 0.95;      // of chi-square, by leaving something out
constexpr double missing_trace = 0.05;       // worth a word
constexpr double shortest_second_fit = 0.1;  // seconds
constexpr double tolerance_of_second_fit = 1e-3;

using Lines = std::vector<std::string>;

/// The settings with every label read from the other end.
CountsData labels_reversed(CountsData data) {
  for (Setting& setting : data.settings) std::reverse(setting.begin(), setting.end());
  return data;
}

/// The same fit once more to data that are read in another way. The time limit holds for all fits.
template <class S, class Data>
Judged fit_again(const StateFit<S, Data>& fit, const Data& data, const StateModel& model,
                 Judged judged, bool any_rank = false) {
  RunSettings settings = fit.settings;
  settings.rank = fit.u.cols();
  if (settings.init != start_name::random)
    settings.init = start_name::spectral;  // a file is for the rank asked for
  settings.progress = {};
  settings.truth.clear();
  Options& options = settings.options;
  options.tolerance = std::max(options.tolerance, tolerance_of_second_fit);
  options.time_limit = std::max(options.time_limit - fit.seconds(), shortest_second_fit);
  const auto other = make_problem<S>(data, model, settings);
  const Answer<S> answer = any_rank ? solve_any_rank(other.problem, settings, other.noise).answer
                                    : solve_once(other.problem, settings, other.noise);
  const Matrix<S>& u = answer.result.factor;
  judged.good = goodness(data, predictions(other, u) / u.squaredNorm());
  return judged;
}

/// A calibration that belongs to other detectors, or to another order of them, spoils the fit.
template <class S>
void warn_of_readout(const StateFit<S, CountsData>& fit, const Judged& judged, Lines& lines) {
  if (fit.model.readout.empty() || judged.fits()) return;
  StateModel model = fit.model;
  model.readout = {};
  const double with = judged.good.chi_square;
  const bool any_rank = fit.settings.rank == 0;  // without it another rank may be called for
  const double without = fit_again(fit, fit.data, model, judged, any_rank).good.chi_square;
  if (without >= mended_without * with) return;
  lines.push_back(
      fmt::format("the readout calibration makes the fit worse, chi-square {:.4g} with it and "
                  "{:.4g} without: is it of these detectors, in this order of qubits?",
                  with, without));
}
template <class S>
void warn_of_readout(const StateFit<S, PauliData>&, const Judged&, Lines&) {}  // they have none

/// How large the misfit is, in the unit that size_of_misfit() has for `judged`.
double misfit_as(const Judged& judged, const Judged& fit) {
  if (judged.is_far()) return fit.times_noise();
  if (!judged.likelihood || judged.freedom == 0) return fit.good.ratio();
  return fit.good.chi_square / judged.freedom;
}

/// How large the misfit is, in words.
std::string size_of_misfit(const Judged& judged, const char* noise) {
  if (judged.is_far()) {
    return fmt::format("the fit is {:.1f} times worse than {}", judged.times_noise(), noise);
  }
  if (!judged.likelihood || judged.freedom == 0) {
    return fmt::format("the residual is {:.2f} times what {} can leave of it", judged.good.ratio(),
                       noise);
  }
  return fmt::format("chi-square is {:.2f} per degree of freedom, more than {} can explain",
                     judged.good.chi_square / judged.freedom, noise);
}

template <class S, class Data>
bool may_grow(const StateFit<S, Data>& fit) {
  return fit.settings.rank != 0 && fit.u.cols() < fit.u.rows();
}

/// What else the rank may do; empty where nothing is to be expected of it.
template <class S, class Data>
std::string rank_hint(const StateFit<S, Data>& fit) {
  if (may_grow(fit)) return "a larger --rank may help, or ";
  const bool guessed = fit.settings.rank == 0 && !fit.state.noise.likelihood;
  return guessed && fit.u.cols() < fit.u.rows() ? "--rank=full may help, or " : "";
}

/// What to tell a user whose fit noise does not explain.
template <class S>
std::string explain_misfit(const StateFit<S, CountsData>& fit, const Judged& judged) {
  const std::string poor = size_of_misfit(judged, "shot noise");
  const CountsData reversed = labels_reversed(fit.data);
  const bool same = reversed.settings == fit.data.settings;
  const Judged turned = same ? judged : fit_again(fit, reversed, fit.model, judged);
  if (turned.fits() || turned.times_noise() * mended_by_other_order < judged.times_noise()) {
    const MeasurementFormat& format = fit.input.format;
    return fmt::format(
        "{}; labels and bit strings run in opposite directions: --label-order {} (or "
        "--bit-order {}) brings it to {:.1f}",
        poor, format.label_qubit0_left ? "qubit0-right" : "qubit0-left",
        format.bits_qubit0_left ? "qubit0-right" : "qubit0-left", misfit_as(judged, turned));
  }
  const bool full = fit.u.cols() == fit.u.rows();  // has one best fit, whatever the seed
  return fmt::format("{}: {}{}the settings are not quite what was measured{}", poor, rank_hint(fit),
                     full ? "" : "another --seed, or ",
                     fit.model.readout.empty()
                         ? ", or the detectors err: a calibration goes in with --readout"
                         : "");
}
template <class S>
std::string explain_misfit(const StateFit<S, PauliData>& fit, const Judged& judged) {
  const std::string hint = rank_hint(fit);
  return fmt::format("{}: {}they are too small{}", size_of_misfit(judged, "the standard errors"),
                     hint, hint.empty() ? ", or these are not the values of one state" : "");
}

/// That the values are not those of a state, as far as the fit can tell.
template <class S, class Data>
std::string explain_miss(const StateFit<S, Data>& fit, const Goodness& good) {
  const double miss = good.residual / std::sqrt(static_cast<double>(fit.predictions.size()));
  const std::string in_set =
      fit.settings.constraint.empty() ? "" : " in the set " + fit.settings.constraint;
  const bool full = fit.u.cols() == fit.u.rows();  // then the fit is the best of all
  return fmt::format("the answer misses the values by {:.2f} in the root mean square: {}", miss,
                     full ? fmt::format("no state{} has these values; give standard errors if "
                                        "they are that noisy",
                                        in_set)
                          : "--rank=full tells whether any state has these values");
}

/// What the data leave open, and what became of the trace where the factor fits.
template <class S, class Data>
void warn_of_gaps(const StateFit<S, Data>& fit, bool state_fits, bool factor_fits, Lines& lines) {
  const Index rank = fit.u.cols();
  const double asked = parameters(fit.u.rows(), rank) - 1;
  const double determined = fit.state.noise.determined;
  if (state_fits && determined < asked) {
    lines.push_back(
        fmt::format("{} independent numbers were measured and a state of rank {} has {}: the "
                    "answer is one of many that fit",
                    determined, rank, asked));
  }
  const double trace = fit.u.squaredNorm();
  if (factor_fits && trace < 1 - missing_trace) {
    lines.push_back(
        fmt::format("the trace of the answer is {:.3f}, and the state is that scaled to 1; "
                    "--constraint frobenius-sphere:1 asks for trace one",
                    trace));
  }
}

/// The lowest count, where it leaves no likelihood to fit by.
std::string below_zero(const CountsData& data, const TomographyInput& input) {
  Index lowest = 0;
  const double count = data.counts.minCoeff(&lowest);
  if (input.loss != state_loss::automatic || count >= 0) return "";
  std::string label, bits;  // as they stand in the file
  for (const std::uint8_t basis : data.settings[lowest >> data.qubits]) {
    label.insert(label.begin(), basis < 3 ? "XYZ"[basis] : '?');  // a letter of --bases
    bits.insert(bits.begin(), (lowest >> bits.size() & 1) != 0 ? '1' : '0');
  }
  if (input.format.label_qubit0_left) std::ranges::reverse(label);
  if (input.format.bits_qubit0_left) std::ranges::reverse(bits);
  return fmt::format(
      "outcome {} of setting {} has the count {:.3g}, numbers below zero have no likelihood, and ",
      bits, label, count);
}
std::string below_zero(const PauliData&, const TomographyInput&) { return ""; }

/// Why a fit that leaves the noise aside cannot tell the rank, and what can.
template <class Data>
std::string guessed_rank(const Data& data, const TomographyInput& input) {
  if (noise_is_known(data)) {
    return below_zero(data, input) +
           "least squares does not weigh the data by their noise, so the rank is a guess: "
           "--loss=weighted does";
  }
  return fmt::format("how noisy the data are is not known, so the rank is a guess: {}",
                     std::is_same_v<Data, CountsData> ? "give the number of shots with --shots"
                                                      : "give standard errors");
}

}  // namespace

template <class S, class Data>
std::vector<std::string> judge(const StateFit<S, Data>& fit, Json& summary) {
  const Noise<S>& noise = fit.state.noise;
  const double trace = fit.u.squaredNorm();
  const Goodness good = goodness(fit.data, fit.predictions / trace);
  Lines lines = fit.data.notes;
  bool factor_fits = true;  // as far as can be told
  summary["residual"] = good.residual;
  if (good.floor > 0) {
    const double freedom = degrees_of_freedom(std::round(good.expected), noise.determined,
                                              fit.u.rows(), summary["eigenvalues"]);
    const Judged judged{good, freedom, noise.likelihood};
    summary["noise_floor"] = good.floor;
    summary["chi_square"] = good.chi_square;
    summary["degrees_of_freedom"] = freedom;
    summary["fits_data"] = judged.fits();
    if (judged.is_too_good()) summary["less_scatter_than_noise"] = true;
    if (fit.converged) {
      if (!judged.fits()) lines.push_back(explain_misfit(fit, judged));
      warn_of_readout(fit, judged, lines);
    }
    const Goodness of_factor = goodness(fit.data, fit.predictions);
    factor_fits = Judged{of_factor, freedom, noise.likelihood}.fits();
  }
  const bool misses = misses_values(fit.data, good);
  if (misses && fit.converged && !may_grow(fit)) {
    summary["fits_data"] = false;
    lines.push_back(explain_miss(fit, good));
  }
  warn_of_gaps(fit, !misses, factor_fits, lines);
  if (fit.settings.rank == 0 && !noise.likelihood) {
    lines.push_back(guessed_rank(fit.data, fit.input));
  }
  return lines;
}

std::optional<std::string> reversed_line(const StateFactor& state, const StateFactor& target,
                                         double fidelity) {
  constexpr double low = 0.9, explained = 0.2;  // of what is lacking, at most left
  if (!(fidelity < low)) return std::nullopt;
  const double turned = projfgd::fidelity(state, qubits_reversed(target));
  if (!(1 - turned < explained * (1 - fidelity))) return std::nullopt;
  return fmt::format(
      "with the qubits of the target reversed the fidelity is {:.4f}: are they in the order of the "
      "data?",
      turned);
}

#define PROJFGD_INSTANTIATE(S)                                                   \
  template std::vector<std::string> judge(const StateFit<S, PauliData>&, Json&); \
  template std::vector<std::string> judge(const StateFit<S, CountsData>&, Json&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)

}  // namespace projfgd

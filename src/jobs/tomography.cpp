#include "projfgd/jobs/tomography.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "hermitian.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/stopwatch.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/measures/noise.hpp"
#include "projfgd/measures/state.hpp"
#include "tomography_problem.hpp"

namespace projfgd {
namespace {

constexpr double misfit_worth_a_word = 3;    // times the noise
constexpr double mended_by_other_order = 2;  // times better
constexpr double shortest_second_fit = 0.1;  // seconds
constexpr double tolerance_of_second_fit = 1e-3;
constexpr double missing_trace = 0.05;      // worth a word
constexpr double held_at_zero = 1e-4;       // of the trace, an eigenvalue
constexpr double beyond_chance = 3;         // standard deviations of chi-square
constexpr double mended_without = 0.95;     // of chi-square, by leaving something out
constexpr double trace_of_files = 1e-2;     // how far from 1 a trace may be
constexpr double size_of_factors = 0.5;     // how far from 1 the norm of a factor may be
constexpr double roughly_hermitian = 1e-3;  // what other programs round

StateFactor read_state(const std::filesystem::path& path, Index n, InputFiles& inputs) {
  return to_state(inputs.npy(path), n, path);
}

StateFactor target_state(const std::string& target, int qubits, InputFiles& inputs) {
  const Index n = Index{1} << qubits;
  const std::filesystem::path path(target);
  if (path.has_extension() || path.has_parent_path()) return read_state(path, n, inputs);
  try {
    return named_state(target, qubits);
  } catch (const InputError& error) {
    throw InputError(fmt::format("option target: {}, or an NPY file", error.what()));
  }
}

Json to_json(const Vector<double>& values) {
  Json list = Json::array();
  for (const double v : values) list.push_back(v);
  return list;
}

/// Everything that is read before the solver starts, so that bad input costs no waiting.
struct Questions {
  std::vector<std::string> labels;
  StateFactor target;
  std::string target_name;
};

Questions read_questions(const TomographyInput& input, int qubits, InputFiles& inputs) {
  Questions ask;
  if (!input.observables.empty()) {
    ask.labels = parse_observables({input.observables, inputs.read(input.observables)}, qubits);
  }
  for (const auto& kept : input.reduced) {
    if (kept.empty() || kept.size() > 12) {
      throw InputError(
          fmt::format("option reduced: found {} qubits, expected 1 to 12", kept.size()));
    }
    validate_qubits(kept, qubits);
  }
  if (!input.target.empty()) {
    ask.target = target_state(input.target, qubits, inputs);
    ask.target_name = input.target;
  }
  return ask;
}

void describe_state(const TomographyInput& input, const Questions& ask, const StateFactor& factor,
                    RunRecord& record) {
  const StateFactor u = normalised(factor);
  Json& summary = record.summary;
  summary["purity"] = purity(u);
  summary["entropy"] = entropy(u);
  if (ask.target.size() > 0) {
    summary["target"] = ask.target_name;
    summary["fidelity"] = fidelity(u, ask.target);
    summary["trace_distance"] = trace_distance(u, ask.target);
  }
  summary["eigenvalues"] = to_json(eigenvalues(u));
  if (!ask.labels.empty()) {
    Json values = Json::object();
    for (const std::string& label : ask.labels) {
      // The labels of observables run as those of the data do.
      const bool turned = input.format.label_qubit0_left;
      const std::string usual = turned ? std::string(label.rbegin(), label.rend()) : label;
      values[label] = expectation(parse_pauli(usual), u);
    }
    summary["expectations"] = values;
  }
  for (const auto& kept : input.reduced) {
    const Matrix<std::complex<double>> rho = reduced_state(u, kept);
    const std::string name = fmt::format("{}", fmt::join(kept, "_"));
    summary["reduced_purity"][name] = rho.squaredNorm();
    record.files.emplace_back("reduced_" + name + ".npy", npy_bytes(to_array(rho)));
  }
  if (u.rows() <= largest_density_matrix) {
    record.large_files.emplace_back("density_matrix.npy", [u](const std::filesystem::path& path) {
      write_npy(path, u.rows(), u.rows(),
                [&u](Index first, StateFactor& rows) { density_rows(u, first, rows); });
    });
  }
}

/// The settings with every label read from the other end.
CountsData labels_reversed(CountsData data) {
  for (Setting& setting : data.settings) std::reverse(setting.begin(), setting.end());
  return data;
}

/// Numbers measured beyond those that the state has free. An eigenvalue that the fit has pushed to
/// 0 is held there by X >= 0 whatever the noise, so it frees nothing.
double degrees_of_freedom(double data, Index n, const std::vector<double>& eigenvalues) {
  const auto rank = std::ranges::count_if(eigenvalues, [](double x) { return x > held_at_zero; });
  return std::max(data - parameters(n, rank) + 1, 0.0);
}

/// A fit and what it may be compared with.
struct Judged {
  Goodness good;
  double freedom = 0;       ///< degrees of freedom
  bool likelihood = false;  ///< the loss weighs the data by their noise, as chi-square does

  /// How many times larger the misfit is than noise explains.
  double times_noise() const {
    const double plain = good.ratio();
    return likelihood && freedom > 0 ? std::max(plain, std::sqrt(good.chi_square / freedom))
                                     : plain;
  }
  bool fits() const { return times_noise() <= misfit_worth_a_word; }
};

/// The same fit once more to data that are read in another way.
template <class S>
Judged fit_again(RunSettings settings, const CountsData& data, const StateModel& model, Index rank,
                 Judged judged) {
  settings.rank = rank;
  settings.progress = {};
  settings.truth.clear();
  settings.options.tolerance = std::max(settings.options.tolerance, tolerance_of_second_fit);
  const auto other = make_problem<S>(data, model, settings);
  const Matrix<S> u = solve_once(other.problem, settings, other.noise).result.factor;
  judged.good = goodness(data, predictions(other, u));
  return judged;
}

/// A calibration that belongs to other detectors, or to another order of them, spoils the fit.
template <class S>
void warn_of_readout(const RunSettings& settings, const CountsData& data, StateModel model,
                     Index rank, const Judged& judged, Json& warnings) {
  const double chi_square = judged.good.chi_square;
  const double chance = std::sqrt(2 * std::max(judged.freedom, 1.0));
  if (model.readout.empty() || chi_square < judged.freedom + beyond_chance * chance) return;
  model.readout = {};
  const double without = fit_again<S>(settings, data, model, rank, judged).good.chi_square;
  if (without >= mended_without * chi_square) return;
  warnings.push_back(
      fmt::format("the readout calibration makes the fit worse, chi-square {:.4g} with it and "
                  "{:.4g} without: is it of these detectors, in this order of qubits?",
                  chi_square, without));
}
template <class S>
void warn_of_readout(const RunSettings&, const PauliData&, const StateModel&, Index, const Judged&,
                     Json&) {}  // expectations have none

/// What to tell a user whose fit is several times worse than shot noise.
template <class S>
std::string explain_misfit(const TomographyInput& input, const RunSettings& settings,
                           const CountsData& data, const StateModel& model, Index rank,
                           const Judged& judged) {
  const double ratio = judged.times_noise();
  const std::string poor = fmt::format("the fit is {:.1f} times worse than shot noise", ratio);
  const double turned =
      fit_again<S>(settings, labels_reversed(data), model, rank, judged).times_noise();
  if (turned * mended_by_other_order < ratio) {
    return fmt::format(
        "{}; labels and bit strings run in opposite directions: --label-order {} (or --bit-order "
        "{}) brings it to {:.1f}",
        poor, input.format.label_qubit0_left ? "qubit0-right" : "qubit0-left",
        input.format.bits_qubit0_left ? "qubit0-right" : "qubit0-left", turned);
  }
  const bool may_grow = settings.rank != 0 && rank < (Index{1} << data.qubits);
  return fmt::format("{}: {}the settings are not quite what was measured", poor,
                     may_grow ? "a larger --rank may help, or " : "");
}
template <class S>
std::string explain_misfit(const TomographyInput&, const RunSettings& settings,
                           const PauliData& data, const StateModel&, Index rank,
                           const Judged& judged) {
  const bool may_grow = settings.rank != 0 && rank < (Index{1} << data.qubits);
  return fmt::format("the fit is {:.1f} times worse than the standard errors: {}",
                     judged.times_noise(),
                     may_grow ? "a larger --rank may help, or they are too small"
                              : "they are too small, or these are not the values of one state");
}

/// What the data leave open, and what became of the trace where the answer fits.
template <class S>
void warn_of_gaps(const Noise<S>& noise, const Matrix<S>& u, bool fits, Json& warnings) {
  const double asked = parameters(u.rows(), u.cols()) - 1;
  if (noise.data < asked) {
    warnings.push_back(
        fmt::format("{} independent numbers were measured and a state of rank {} has {}: the "
                    "answer is one of many that fit",
                    noise.data, u.cols(), asked));
  }
  const double found = u.squaredNorm();
  if (fits && found < 1 - missing_trace) {
    warnings.push_back(
        fmt::format("the trace of the answer is {:.3f}, and the state is that scaled to 1; "
                    "--constraint frobenius-sphere:1 asks for trace one",
                    found));
  }
}

std::vector<std::string> notes_of(const CountsData& data) { return data.notes; }
std::vector<std::string> notes_of(const PauliData&) { return {}; }

bool noise_is_known(const CountsData& data) { return data.shots_known; }
bool noise_is_known(const PauliData& data) { return data.errors.size() > 0; }

/// A likelihood is infinite where something was counted that no state in the set can give.
template <class S>
void refuse_impossible(const RunSettings& settings, const StateProblem<S>& state,
                       const RunRecord& record) {
  if (state.loss != "poisson" || record.status != Status::diverged || settings.constraint.empty() ||
      record.summary["iterations"] > 0) {
    return;
  }
  throw InputError(
      fmt::format("constraint {}: found counts of outcomes that no state in the set has, expected "
                  "a larger set, or --loss least-squares",
                  settings.constraint));
}

/// The lowest count, where it leaves no likelihood to fit by.
std::string below_zero(const CountsData& data, const TomographyInput& input) {
  Index lowest = 0;
  const double count = data.counts.minCoeff(&lowest);
  if (input.loss != "auto" || count >= 0) return "";
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
           "least squares does not weigh the data by their noise, so the rank is a guess: --loss "
           "weighted does";
  }
  return fmt::format("how noisy the data are is not known, so the rank is a guess: {}",
                     std::is_same_v<Data, CountsData> ? "give the number of shots with --shots"
                                                      : "give standard errors");
}

template <class S, class Data>
RunRecord run(const TomographyInput& input, const RunSettings& settings, const Data& data,
              InputFiles& inputs, const Stopwatch& watch) {
  StateModel model = read_model(input, settings, data.qubits, inputs);
  Questions ask = read_questions(input, data.qubits, inputs);
  StateProblem<S> state = make_problem<S>(data, model, settings);
  model.set = state.set;  // what is fitted to compare with must be in the same set
  if (ask.target.size() == 0 && state.truth.size() > 0) {
    ask.target = state.truth;
    ask.target_name = "truth";
  }
  if (noise_is_known(data)) {
    state.noise.misfit = [&](const Matrix<S>& u) {
      return goodness(data, predictions(state, u)).ratio();
    };
  }
  const double setup_seconds = watch.seconds();

  StateAnswer<S> out = settings.rank == 0 ? solve_any_rank(state.problem, settings, state.noise)
                                          : solve_state(state.problem, settings, state.noise);
  const Matrix<S> u = out.answer.result.factor;
  RunRecord record =
      make_record(state.problem, settings, std::move(out.answer), setup_seconds, inputs);
  Json& summary = record.summary;
  summary["qubits"] = state.qubits;
  if (state.settings > 0) summary["settings"] = state.settings;
  if (state.shots > 0) summary["shots"] = state.shots;
  summary["loss"] = state.loss;
  refuse_impossible(settings, state, record);
  describe_state(input, ask, u.template cast<std::complex<double>>(), record);
  const Vector<double> predicted = predictions(state, u);
  const Goodness good = goodness(data, predicted);
  summary["residual"] = good.residual;
  Json warnings = notes_of_files(input);
  for (std::string& note : notes_of(data)) warnings.push_back(std::move(note));
  bool fits = true;  // as far as can be told
  if (good.floor > 0) {
    summary["noise_floor"] = good.floor;
    summary["chi_square"] = good.chi_square;
    const double freedom = degrees_of_freedom(state.noise.data, u.rows(), summary["eigenvalues"]);
    summary["degrees_of_freedom"] = freedom;
    const Judged judged{good, freedom, state.noise.likelihood};
    summary["fits_data"] = fits = judged.fits();
    if (record.status == Status::converged) {
      const auto rest = [&] {  // the time limit holds for all fits
        const double spent = watch.seconds() - setup_seconds;
        RunSettings left = settings;
        left.options.time_limit =
            std::max(settings.options.time_limit - spent, shortest_second_fit);
        return left;
      };
      if (!fits) {
        warnings.push_back(explain_misfit<S>(input, rest(), data, model, u.cols(), judged));
      }
      warn_of_readout<S>(rest(), data, model, u.cols(), judged, warnings);
    }
  }
  warn_of_gaps(state.noise, u, fits, warnings);
  if (settings.rank == 0 && !state.noise.likelihood) {
    warnings.push_back(guessed_rank(data, input));
  }
  if (settings.rank == 0) {
    summary["rank_reason"] = out.note;
  } else if (!out.note.empty()) {
    warnings.push_back(out.note);
  }
  if (!warnings.empty()) summary["warnings"] = warnings;
  record.report = [summary, factor = normalised(u.template cast<std::complex<double>>()),
                   fit = fit_of(data, predicted)](Report& page) {
    add_tomography(page, summary, factor, fit);
  };
  return record;
}

}  // namespace

StateFactor to_state(const Array& array, Index n, const std::filesystem::path& path) {
  require_finite(array, path);
  const StateFactor m = to_matrix<std::complex<double>>(array, path);
  if (m.rows() != n || m.cols() < 1) {
    throw InputError(fmt::format("{}: found shape {}, expected a state of dimension {}",
                                 path.string(), shape_text(array.shape), n));
  }
  if (m.rows() != m.cols()) return normalised(m);
  // A density matrix has trace 1, a factor the norm 1; a pure state has both and is its own factor.
  const double trace = m.trace().real(), size = m.norm();
  const double off_density = std::abs(trace - 1), off_factor = std::abs(size - 1);
  const bool hermitian = is_hermitian(m, roughly_hermitian);
  const bool density = off_density <= trace_of_files;
  const bool factor = hermitian ? off_factor < off_density && off_factor <= rounding_of_files
                                : !density && off_factor <= size_of_factors;
  if (factor) return normalised(m);
  if (hermitian && density) return normalised(factor_of(m, path));
  throw InputError(fmt::format(
      "{}: found a square matrix, {}, of trace {:.6g} and norm {:.6g}, expected a density matrix "
      "of trace 1 or a factor of norm 1",
      path.string(), hermitian ? "Hermitian" : "not Hermitian", trace, size));
}

RunRecord run_tomography(const TomographyInput& input, const RunSettings& asked) {
  const Stopwatch watch;
  InputFiles inputs(asked.in_memory);
  const Measurements measured = read_measurements(input, inputs);
  const RunSettings settings = with_rank(asked, measured);
  return std::visit(
      [&](const auto& data) {
        if (settings.single_precision) {
          return run<std::complex<float>>(input, settings, data, inputs, watch);
        }
        return run<std::complex<double>>(input, settings, data, inputs, watch);
      },
      measured);
}

}  // namespace projfgd

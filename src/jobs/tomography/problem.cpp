#include "jobs/tomography/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <system_error>

#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"
#include "projfgd/operators/pauli.hpp"
#include "projfgd/operators/readout.hpp"

namespace projfgd {
namespace {

[[noreturn]] void refuse_loss(const std::string& loss, const std::string& why) {
  throw InputError(fmt::format("option loss: found \"{}\", expected {}", loss, why));
}

template <class R>
Vector<R> cast(const Vector<double>& v) {
  return v.cast<R>();
}

/// Frequencies k / N.
Vector<double> frequencies(const CountsData& data) {
  const Index n = Index{1} << data.qubits;
  Vector<double> f = data.counts;
  for (Index s = 0; s < data.shots.size(); ++s) f.segment(s * n, n) /= data.shots[s];
  return f;
}

/// 1 / variance of a frequency, from counts smoothed by half a count so that none is certain.
/// Mitigated counts may be negative or exceed the shots; no probability does.
Vector<double> inverse_variances(const CountsData& data) {
  const Index n = Index{1} << data.qubits;
  Vector<double> w(data.counts.size());
  for (Index i = 0; i < w.size(); ++i) {
    const double shots = data.shots[i / n];
    const double p = (std::clamp(data.counts[i], 0.0, shots) + 0.5) / (shots + 1);
    w[i] = shots / (p * (1 - p));
  }
  return w;
}

/// Reads settings.truth, which may be a factor or a density matrix and is no part of the input.
template <class S>
void read_truth(const RunSettings& settings, StateProblem<S>& state) {
  if (settings.truth.empty()) return;
  InputFiles files(settings.in_memory);
  state.truth = to_state(files.npy(settings.truth), state.problem.op.rows(), settings.truth);
  state.problem.error = error_against<S>(state.truth.template cast<S>());
}

void require_set_of_states(const std::string& name) {
  const std::vector<std::string> names = state_constraint_names();
  if (std::ranges::find(names, name) != names.end()) return;
  throw InputError(
      fmt::format("constraint {}: found a set for images, expected one of {} for a "
                  "state",
                  name, fmt::join(names, ", ")));
}

template <class S>
StateProblem<S> make(AnyOperator<S> op, AnyLoss<RealOf<S>> loss, const StateModel& model,
                     const RunSettings& settings, bool shows_trace) {
  // A state of low rank with some trace missing looks like one with white noise: where the data do
  // not show the trace it must be given to find the rank, and at full rank to find the state.
  const Index n = op.rows();
  const bool any_spectrum =
      (settings.rank == 0 || settings.rank == n) && settings.method == "projfgd";
  const char* standard =
      any_spectrum && !shows_trace ? "frobenius-sphere:1" : default_state_constraint;
  const ConstraintSpec set = model.set ? *model.set : parse_constraint(standard);
  require_set_of_states(set.name);
  AnyConstraint<S> constraint = make_constraint<S>(set, n);
  StateProblem<S> state{{std::move(op),
                         std::move(loss),
                         std::move(constraint),
                         settings.rank,
                         set.trace_bound(),
                         {},
                         set.only_trace()}};
  state.set = set;
  return state;
}

/// Before the operators allocate: data, predictions and their gradients.
void require_room(double measurements, int qubits) {
  require_memory(bytes_of_data(measurements, sizeof(double)),
                 fmt::format("{:.3g} measurements of {} qubits", measurements, qubits));
}

/// 0 where it is not finite or says nothing of the noise.
template <class S>
double objective_of_nothing(const AnyLoss<RealOf<S>>& loss, const AnyOperator<S>& op) {
  return loss.quadratic() ? loss.value(Vector<RealOf<S>>::Zero(op.measurements())) : 0;
}

/// The file itself, or of a folder the measurements that a simulation wrote there.
std::filesystem::path data_file(const std::filesystem::path& path, const InputFiles& inputs) {
  std::error_code ignored;
  if (inputs.in_memory(path) || !std::filesystem::is_directory(path, ignored)) return path;
  const bool counts = std::filesystem::exists(path / counts_file);
  const bool paulis = std::filesystem::exists(path / pauli_file);
  if (counts != paulis) return path / (counts ? counts_file : pauli_file);
  throw InputError(fmt::format(
      "{}: found a folder with {} {} {} {}, expected one of them, or the files themselves",
      path.string(), counts ? "both" : "neither", counts_file, counts ? "and" : "nor", pauli_file));
}

}  // namespace

std::vector<std::string> state_loss_names() {
  return {state_loss::automatic, state_loss::poisson, state_loss::least_squares,
          state_loss::weighted};
}

std::vector<std::string> state_constraint_names() {
  return {"none",         "frobenius-ball", "frobenius-sphere", "real",
          "nuclear-ball", "spectral-ball",  "row-norm-ball",    "support"};
}

bool has_measurements(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / counts_file) ||
         std::filesystem::exists(folder / pauli_file);
}

Measurements read_measurements(const TomographyInput& input, InputFiles& inputs) {
  std::vector<NamedBytes> files;
  for (const auto& path : input.data) {
    const std::filesystem::path file = data_file(path, inputs);
    files.push_back({file, inputs.read(file)});
  }
  MeasurementFormat format = input.format;
  if (!input.bases.empty()) format.bases = {input.bases, inputs.read(input.bases)};
  return parse_measurements(files, format);
}

std::vector<std::string> notes_of_files(const TomographyInput& input, const InputFiles& inputs) {
  std::vector<std::string> notes;
  std::set<std::filesystem::path> seen;
  for (const auto& given : input.data) {
    const std::filesystem::path path = data_file(given, inputs);
    std::error_code ignored;
    if (!seen.insert(std::filesystem::weakly_canonical(path, ignored)).second) {
      notes.push_back(path.string() + " was given more than once, and what is in it counts again");
    }
  }
  return notes;
}

StateModel read_model(const TomographyInput& input, const RunSettings& settings, int qubits,
                      InputFiles& inputs) {
  StateModel model{input.loss};
  if (!input.readout.empty()) {
    model.readout = parse_readout({input.readout, inputs.read(input.readout)}, qubits,
                                  input.format.bits_qubit0_left);
  }
  if (!settings.constraint.empty()) {
    model.set = with_mask(parse_constraint(settings.constraint), inputs);
  }
  return model;
}

RunSettings with_rank(RunSettings settings, const Measurements& measured) {
  if (settings.rank == full_rank) {
    settings.rank = std::visit([](const auto& data) { return Index{1} << data.qubits; }, measured);
  }
  return settings;
}

namespace {

bool has_negative(const CountsData& data) { return data.counts.minCoeff() < 0; }

}  // namespace

std::string usual_loss(const PauliData& data) {
  return data.errors.size() > 0 ? state_loss::weighted : state_loss::least_squares;
}

std::string usual_loss(const CountsData& data) {
  return data.shots_known && !has_negative(data) ? state_loss::poisson : state_loss::least_squares;
}

template <class S>
StateProblem<S> make_problem(const PauliData& data, const StateModel& model,
                             const RunSettings& settings) {
  using R = RealOf<S>;
  const std::string& loss = model.loss;
  if (!model.readout.empty()) {
    throw InputError("option readout: found Pauli expectations, expected counts");
  }
  const std::string chosen = loss == state_loss::automatic ? usual_loss(data) : loss;
  const bool weighted = chosen == state_loss::weighted;
  if (!weighted && chosen != state_loss::least_squares) {
    refuse_loss(loss, "auto, least-squares or weighted for Pauli expectations");
  }
  if (weighted && data.errors.size() == 0) {
    refuse_loss(loss, "least-squares: the file has no stderr column");
  }
  require_room(static_cast<double>(data.strings.size()), data.qubits);
  const double scale = scale_of(data);
  const AnyOperator<S> op(PauliOperator<S>(data.qubits, data.strings, static_cast<R>(scale)));
  const Vector<R> y = cast<R>(scale * data.values);
  const AnyLoss<R> objective =
      weighted ? AnyLoss<R>(WeightedLeastSquares<R>(
                     y, cast<R>((scale * data.errors).array().square().inverse().matrix())))
               : AnyLoss<R>(LeastSquares<R>(y));
  StateProblem<S> state = make<S>(op, objective, model, settings, false);
  state.qubits = data.qubits;
  state.loss = chosen;
  state.noise.data = count_data(data);
  state.noise.determined = count_determined(data);
  state.noise.size = objective_of_nothing<S>(objective, op);
  state.noise.likelihood = weighted;
  read_truth(settings, state);
  return state;
}

template <class S>
StateProblem<S> make_problem(const CountsData& data, const StateModel& model,
                             const RunSettings& settings) {
  using R = RealOf<S>;
  const std::string& loss = model.loss;
  const Index n = Index{1} << data.qubits, cells = data.counts.size();
  const std::string chosen = loss == state_loss::automatic ? usual_loss(data) : loss;
  if (chosen == state_loss::poisson && has_negative(data)) {
    refuse_loss(loss, "least-squares: the data have negative frequencies");
  }
  if (chosen == state_loss::weighted && !data.shots_known) {
    refuse_loss(loss, "least-squares, or the number of shots with --shots");
  }
  require_room(static_cast<double>(cells), data.qubits);
  const ProductBasisOperator<S> settings_operator(data.settings, data.bases);
  const Index columns = std::clamp<Index>(settings.rank, 1, n);
  require_memory(settings_operator.work_space(columns) * sizeof(R),
                 fmt::format("the work of products with a factor of {} x {}", n, columns));
  AnyOperator<S> op(settings_operator);
  if (!model.readout.empty()) op = AnyOperator<S>(ReadoutOperator<S>(op, model.readout));
  const auto objective = [&]() -> AnyLoss<R> {
    if (chosen == state_loss::poisson) {
      Vector<double> exposures(cells);
      for (Index s = 0; s < data.shots.size(); ++s)
        exposures.segment(s * n, n).setConstant(data.shots[s]);
      return Poisson<R>(cast<R>(data.counts), cast<R>(exposures));
    }
    if (chosen == state_loss::weighted) {
      return WeightedLeastSquares<R>(cast<R>(frequencies(data)), cast<R>(inverse_variances(data)));
    }
    if (chosen != state_loss::least_squares) {
      refuse_loss(loss, either(state_loss_names()));
    }
    return LeastSquares<R>(cast<R>(frequencies(data)));
  }();
  StateProblem<S> state = make<S>(op, objective, model, settings, chosen == state_loss::poisson);
  state.qubits = data.qubits;
  state.loss = chosen;
  state.settings = data.shots.size();
  if (data.shots_known) state.shots = data.shots.sum();
  state.noise.data = count_data(data);
  state.noise.determined = count_determined(data);
  state.noise.size = objective_of_nothing<S>(objective, op);
  state.noise.likelihood = data.shots_known && chosen != state_loss::least_squares;
  read_truth(settings, state);
  return state;
}

template <class S>
Vector<double> predictions(const StateProblem<S>& state, const Matrix<S>& u) {
  Vector<RealOf<S>> p;
  state.problem.op.forward(u, p);
  return p.template cast<double>();
}

#define PROJFGD_INSTANTIATE(S)                                                                     \
  template StateProblem<S> make_problem(const PauliData&, const StateModel&, const RunSettings&);  \
  template StateProblem<S> make_problem(const CountsData&, const StateModel&, const RunSettings&); \
  template Vector<double> predictions(const StateProblem<S>&, const Matrix<S>&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)

}  // namespace projfgd

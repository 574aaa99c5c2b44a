#include "jobs/tomography/trust.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "jobs/tomography/likelihood_range.hpp"
#include "jobs/tomography/measured.hpp"
#include "jobs/tomography/shown_strings.hpp"
#include "jobs/tomography/unseen_directions.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/entanglement.hpp"
#include "projfgd/operators/projectors.hpp"

namespace projfgd {
namespace {

constexpr int most_qubits = 8;  // linear estimates have 4^q coordinates

/// Of the range of a quantity: who knows nothing of it names 95% of its range as an interval.
constexpr double share_left_open = interval_level;

/// The estimate that the data allow without a model, with what it refers to.
struct DataEstimate {
  std::unique_ptr<OutcomeMap> map;
  std::unique_ptr<StateEstimate> estimate;
};

DataEstimate estimate_of(const CountsData& data, const Readout& readout,
                         const Vector<double>& predictions) {
  if (!data.shots_known || data.counts.minCoeff() < 0) return {};
  auto map = std::make_unique<OutcomeMap>(data.settings, data.bases, readout);
  auto estimate = std::make_unique<CountsEstimate>(*map, data.counts, data.shots, predictions);
  return {std::move(map), std::move(estimate)};
}

/// Up to 4 qubits, where the normal matrix of 4^q coordinates is small.
DataEstimate estimate_of(const ProjectorData& data, const Readout&,
                         const Vector<double>& predictions) {
  if (data.qubits > most_qubits_of_single_counts) return {};
  return {{},
          std::make_unique<ProjectorEstimate>(projector_coordinates(data.states, data.projectors),
                                              counts_of(data), predictions)};
}

DataEstimate estimate_of(const SeenCounts&, const Readout&, const Vector<double>&) { return {}; }

DataEstimate estimate_of(const PauliData& data, const Readout&, const Vector<double>&) {
  if (data.errors.size() == 0) return {};
  return {{}, std::make_unique<PauliEstimate>(data.qubits, data.strings, data.values, data.errors)};
}

/// What is asked of the state, as far as the data alone tell it.
struct Asked {
  std::string name;
  std::optional<Interval> found;
  double value, low, high;  ///< of the state, and the range of the quantity
  /// The values that fit the data, where these do not show the quantity, and what they are called.
  std::function<std::optional<Interval>()> fitting = {};
  const char* method_of_fitting = interval_name::fitting;
};

/// From the data where they see the quantity, widened by how much worse than noise the state fits
/// them; else the values that fit the data. Where these are not known, all values if the fit can
/// move unseen, and nothing if it cannot. Nothing either where that is not judged.
std::optional<QuantityInterval> interval_of(const Asked& asked, bool open, StateTrust& out) {
  const auto shown = [&](const Interval& interval) {
    return including(clipped(interval, asked.low, asked.high), asked.value);
  };
  if (asked.found) return QuantityInterval{shown(widened(*asked.found, out.widened))};
  if (!out.determined) return std::nullopt;
  QuantityInterval found{{asked.low, asked.high}, interval_name::undetermined, open};
  if (const auto fitting = asked.fitting ? asked.fitting() : std::optional<Interval>{}) {
    found = {shown(*fitting), asked.method_of_fitting};
    const double width = found.interval.high - found.interval.low;
    found.unseen = open || width >= share_left_open * (asked.high - asked.low);
  } else if (!open) {
    return std::nullopt;
  }
  if (found.unseen) {
    out.determined = false;
    out.undetermined.push_back(asked.name);
  }
  return found;
}

/// The largest eigenvalue and the purity of states whose overlap with some vector is at least that.
Interval eigenvalues_above(double overlap, Index n) {
  return {std::max(overlap, 1 / static_cast<double>(n)), 1};
}
Interval purities_above(double overlap, Index n) {
  const double most = eigenvalues_above(overlap, n).low;
  return {most * most + (1 - most) * (1 - most) / static_cast<double>(std::max<Index>(n - 1, 1)),
          1};
}

/// The matrix of a Pauli string.
StateFactor matrix_of(const PauliString& pauli, Index n) {
  StateFactor out = StateFactor::Zero(n, n);
  const std::complex<double> unit =
      std::pow(std::complex<double>(0, 1), std::popcount(pauli.x & pauli.z) % 4);
  for (Index j = 0; j < n; ++j) {
    const bool odd = std::popcount(pauli.z & static_cast<std::uint32_t>(j)) % 2 != 0;
    out(j ^ static_cast<Index>(pauli.x), j) = odd ? -unit : unit;
  }
  return out;
}

/// LikelihoodRange, made once something asks for it.
template <class S>
class LazyRange {
 public:
  LazyRange(const StateModel<S>& model, const RunSettings& settings, const StateFactor& state,
            double times_noise)
      : model_(model), settings_(settings), state_(state), times_noise_(times_noise) {}

  /// Of the observable that is made where there is one: it has n x n entries.
  template <class MakeObservable>
  std::optional<Interval> operator()(const MakeObservable& make, FittingStates states) {
    if (!LikelihoodRange<S>::is_possible(model_)) return std::nullopt;
    if (!range_)
      range_ = std::make_unique<LikelihoodRange<S>>(model_, settings_, state_, times_noise_);
    const StateFactor observable = make();
    return range_->of(observable.template cast<S>(), states);
  }

 private:
  const StateModel<S>& model_;
  const RunSettings& settings_;
  const StateFactor& state_;
  double times_noise_;
  std::unique_ptr<LikelihoodRange<S>> range_;
};

/// The intervals of everything that is asked for. Data that show all coordinates of the state
/// determine it; for others `is_open` tells, and `range` which values fit.
template <class IsOpen, class Range>
void add_intervals(const StateQuestions& ask, const StateFactor& state,
                   const StateEstimate* estimate, bool converged, const IsOpen& is_open,
                   Range& range, StateTrust& out) {
  const Index n = state.rows();
  const int qubits = qubits_of(n);
  const auto expected = [&](const Vector<double>& observable) {
    return estimate != nullptr ? estimate->expectation(observable) : std::optional<Interval>{};
  };
  const auto overlap = [&](const StateFactor& psi) {
    return estimate != nullptr ? expected(projector_observable(psi)) : std::optional<Interval>{};
  };
  const HermitianEigen<std::complex<double>> eigen = hermitian_eigen(gram(state, state));
  const StateFactor leading_vector = normalised(state * eigen.vectors.rightCols(1));
  std::optional<std::optional<Interval>> overlaps;  // with that vector, of states that fit
  const auto from_overlap = [&](Interval (*bounds)(double, Index)) {
    return [&, bounds]() -> std::optional<Interval> {
      if (!overlaps) {
        overlaps = range([&]() -> StateFactor { return leading_vector * leading_vector.adjoint(); },
                         FittingStates::all);
      }
      return *overlaps ? std::optional(bounds((*overlaps)->low, n)) : std::nullopt;
    };
  };
  const double least = 1 / static_cast<double>(n);
  const Asked purities{"purity",
                       estimate != nullptr ? estimate->purity() : std::nullopt,
                       purity(state),
                       least,
                       1,
                       from_overlap(purities_above)};
  const bool open = converged && !purities.found && is_open();
  if (converged) out.determined = !open;
  if (ask.target.cols() == 1) {
    const StateFactor& psi = ask.target;
    out.fidelity = interval_of({"fidelity", overlap(psi), fidelity(state, psi), 0, 1,
                                [&] {
                                  return range([&]() -> StateFactor { return psi * psi.adjoint(); },
                                               FittingStates::all);
                                }},
                               open, out);
  }
  out.purity = interval_of(purities, open, out);
  if (out.purity) {
    out.entropy = QuantityInterval{
        including(entropy_interval(out.purity->interval, n), entropy(eigenvalues(state))),
        purities.found ? interval_name::from_purity : out.purity->method, out.purity->unseen};
    if (out.entropy->unseen) out.undetermined.emplace_back("entropy");
  }
  const Vector<double> values = eigen.values.reverse();
  std::optional<Interval> leading = overlap(leading_vector);
  if (leading) leading = largest_eigenvalue_interval(*leading, values, n);
  if (auto largest = interval_of(
          {"eigenvalues", leading, values[0], least, 1, from_overlap(eigenvalues_above)}, open,
          out)) {
    if (leading) largest->method = interval_name::from_eigenvector;
    out.eigenvalues.push_back(*largest);
  }
  for (std::size_t k = 0; k < ask.paulis.size(); ++k) {
    const PauliString& pauli = ask.paulis[k];
    const auto found =
        estimate != nullptr ? expected(pauli_observable(pauli, qubits)) : std::nullopt;
    out.expectations.push_back(interval_of(
        {ask.labels[k], found, expectation(pauli, state), -1, 1,
         [&] { return range([&] { return matrix_of(pauli, n); }, FittingStates::for_one_pauli); },
         interval_name::likelihood_ratio},
        open, out));
  }
}

/// The negativity of a qubit and the others. The eigenvectors of negative value were chosen from
/// the data, and noise alone makes some: of a deviation s in every direction values down to -2 s
/// sqrt n. Those below that make the low end, all of them the high end.
std::optional<Interval> negativity_interval(const StateFactor& state, int qubit,
                                            const StateEstimate& estimate) {
  const Vector<double> values = partial_transpose_eigenvalues(state, {qubit});
  const auto of_lowest = [&](Index count) {
    return estimate.expectation(hermitian_observable(negativity_observable(state, {qubit}, count)));
  };
  const std::optional<Interval> lowest = of_lowest(1);
  if (!lowest) return std::nullopt;
  const double deviation = (lowest->high - lowest->low) / (2 * normal_quantile);
  const double by_noise = 2 * deviation * std::sqrt(static_cast<double>(state.rows()));
  const Index negative = std::max<Index>((values.array() < 0).count(), 1);
  const Index certain = (values.array() < -by_noise).count();
  const auto all = negative == 1 ? lowest : of_lowest(negative);
  const auto low = certain == 0 ? Interval{0, 0} : certain == negative ? all : of_lowest(certain);
  if (!all || !low) return std::nullopt;
  return Interval{low->low, std::max(all->high, 0.0)};
}

/// Of the entanglement of each qubit with the others, where the data show it.
void add_negativities(const StateFactor& state, const StateEstimate* estimate, StateTrust& out) {
  constexpr double most = 0.5;  // of one qubit with any others
  const int qubits = qubits_of(state.rows());
  if (estimate == nullptr || qubits < 2 || qubits > most_qubits_of_negativity) return;
  for (int qubit = 0; qubit < qubits; ++qubit) {
    const auto found = negativity_interval(state, qubit, *estimate);
    const double value = negativity(state, {qubit});
    out.negativities.push_back(
        found ? interval_of({"negativity", found, value, 0, most}, false, out) : std::nullopt);
  }
}

/// Of the Pauli expectations that the report shows, where the data show them too.
void add_strings(const StateFactor& state, const StateEstimate* estimate, StateTrust& out) {
  const int qubits = qubits_of(state.rows());
  if (estimate == nullptr || qubits > most_qubits_of_strings) return;  // each takes a linear solve
  for (const PauliString& string : shown_strings(state)) {
    const auto found = estimate->expectation(pauli_observable(string, qubits));
    const double value = expectation(string, state);
    out.strings.push_back(found ? interval_of({"", found, value, -1, 1}, false, out)
                                : std::nullopt);
  }
}

void add_consistency(const CountsData& data, StateTrust& out) {
  if (!data.shots_known) {
    out.labels_seem_reversed = labels_seem_reversed(data.settings, data.counts, data.shots);
    return;
  }
  const Consistency found = consistency(data.settings, data.counts, data.shots);
  for (const SettingsConflict& worst : {found.worst, found.worst_pair}) {
    if (!out.conflict && worst.p_value < contradiction) out.conflict = worst;
  }
}
void add_consistency(const PauliData&, StateTrust&) {}
void add_consistency(const ProjectorData&, StateTrust&) {}
void add_consistency(const SeenCounts&, StateTrust&) {}

}  // namespace

template <class S>
std::optional<OptimalityGap> certify_state(const StateModel<S>& model, const Vector<RealOf<S>>& p,
                                           const Interrupt& interrupt) {
  const Problem<S>& problem = model.problem;
  if (!model.facts.level_of_counts) {
    const bool counts = model.facts.loss == state_loss::poisson;
    return certify(problem, counts ? LossKind::counts : LossKind::squares,
                   trace_set(model.facts.set.name), p, interrupt);
  }
  const ModelFacts::Level& level = *model.facts.level_of_counts;
  const Vector<RealOf<S>> exposures = level.exposures.cast<RealOf<S>>();
  return optimality_gap(  // of all eigenvalues at once, or none
      problem.op, problem.loss, p,
      level_of_counts(exposures, level.counts, problem.loss.value(p), level.accidentals));
}

template <class S>
StateTrust trust_of(const TomographyData& data, const StateModel<S>& model,
                    const FittedModelView<S>& fitted, const StateFactor& state,
                    const Vector<double>& predictions, const Result<Matrix<S>>& result,
                    double times_noise, const std::string& errors, const RunSettings& settings) {
  StateTrust out;
  out.widened = std::max(times_noise, 1.0);
  if (is_interrupted(settings.interrupt)) return out;
  std::visit([&](const auto& measured) { add_consistency(measured, out); }, data.measured);
  if (!keeps_all_outcomes(data.measured)) return out;
  Vector<RealOf<S>> p;
  fitted.op.forward(fitted.factor, p);
  out.gap = certify_state(model, p, settings.interrupt);
  if (!out.gap) return out;
  // Where the loss is all but 0 that of the run differs by rounding, which no gap may exceed.
  out.gap->value = std::min(out.gap->value, result.objective);
  if (errors == errors_option::none) return out;
  DataEstimate found;
  if (model.facts.qubits <= most_qubits) {
    found = std::visit(
        [&](const auto& measured) {
          return estimate_of(measured, data.choice.readout, predictions);
        },
        data.measured);
  }
  LazyRange<S> range(model, settings, state, out.widened);
  StateTrust judged = out;
  add_intervals(
      data.questions, state, found.estimate.get(), result.status == Status::converged,
      [&] {
        return leaves_state_open<S>(data, model, fitted, result.objective, settings.interrupt);
      },
      range, judged);
  add_negativities(state, found.estimate.get(), judged);
  add_strings(state, found.estimate.get(), judged);
  return is_interrupted(settings.interrupt) ? out : judged;
}

#define PROJFGD_INSTANTIATE(S)                                                                     \
  template std::optional<OptimalityGap> certify_state(const StateModel<S>&,                        \
                                                      const Vector<RealOf<S>>&, const Interrupt&); \
  template StateTrust trust_of(const TomographyData&, const StateModel<S>&,                        \
                               const FittedModelView<S>&, const StateFactor&,                      \
                               const Vector<double>&, const Result<Matrix<S>>&, double,            \
                               const std::string&, const RunSettings&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

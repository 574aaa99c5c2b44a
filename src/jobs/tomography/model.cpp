#include "jobs/tomography/model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "jobs/common/split.hpp"
#include "jobs/tomography/measured.hpp"
#include "jobs/tomography/parts.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/jobs/place.hpp"
#include "projfgd/losses/background.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"
#include "projfgd/operators/pauli.hpp"
#include "projfgd/operators/rank_one.hpp"
#include "projfgd/operators/readout.hpp"
#include "projfgd/operators/seen_outcomes.hpp"

namespace projfgd {
namespace {

[[noreturn]] void refuse_loss(const std::string& loss, const std::string& expected) {
  throw InputError(fmt::format("option loss: found \"{}\", expected {}", loss, expected));
}

constexpr const char* l1_ball = "l1-ball";

template <class R>
Vector<R> cast(const Vector<double>& v) {
  return v.cast<R>();
}

bool has_negative(const CountsData& data) { return data.counts.minCoeff() < 0; }

/// The numbers of the settings, one for each of their outcomes.
Vector<double> for_outcomes(const Vector<double>& of_settings, int qubits) {
  const Index n = Index{1} << qubits;
  Vector<double> all(of_settings.size() * n);
  for (Index s = 0; s < of_settings.size(); ++s) {
    all.segment(s * n, n).setConstant(of_settings[s]);
  }
  return all;
}

/// 1 / variance of a frequency, from counts smoothed by half a count so that none is certain.
/// Mitigated counts may be negative or exceed the shots; no probability does.
Vector<double> inverse_variances(const Vector<double>& counts, const Vector<double>& shots) {
  Vector<double> w(counts.size());
  for (Index i = 0; i < w.size(); ++i) {
    const double p = (std::clamp(counts[i], 0.0, shots[i]) + 0.5) / (shots[i] + 1);
    w[i] = shots[i] / (p * (1 - p));
  }
  return w;
}

/// Before the operators allocate: data, predictions and their gradients.
void require_room(double measurements, int qubits) {
  require_memory(bytes_of_data(measurements, sizeof(double)),
                 fmt::format("{:.3g} measurements of {} qubits", measurements, qubits));
}

/// Throws InputError unless the loss that is taken suits the data; `asked` is what the user said.
void require_loss(const std::string& name, const PauliData& data, const std::string& asked) {
  if (name != state_loss::weighted && name != state_loss::least_squares) {
    refuse_loss(asked, "auto, least-squares or weighted for Pauli expectations");
  }
  if (name == state_loss::weighted && data.errors.size() == 0) {
    refuse_loss(asked, "least-squares: the file has no stderr column");
  }
}

void require_loss(const std::string& name, const CountsData& data, const std::string& asked) {
  const std::vector<std::string> names = state_loss_names();
  if (std::ranges::find(names, name) == names.end()) refuse_loss(asked, either(names));
  if (name == state_loss::poisson && has_negative(data)) {
    refuse_loss(asked, "least-squares: the data have negative frequencies");
  }
  if (name == state_loss::weighted && !data.shots_known) {
    refuse_loss(asked, "least-squares, or the number of shots with --shots");
  }
}

void require_loss(const std::string& name, const ProjectorData&, const std::string& asked) {
  if (name != state_loss::poisson) refuse_loss(asked, "auto or poisson for counts of projectors");
}

void require_loss(const std::string& name, const SeenCounts&, const std::string& asked) {
  if (name == state_loss::poisson || name == state_loss::least_squares) return;
  refuse_loss(asked, fmt::format("auto, poisson or least-squares for counts of more than {} qubits",
                                 most_qubits_kept_whole));
}

void refuse_readout(const ModelChoice& choice, const char* found) {
  if (choice.readout.empty()) return;
  throw InputError(fmt::format("option readout: found {}, expected counts of settings", found));
}

template <class S>
AnyOperator<S> make_operator(const ProjectorData& data, const ProjectorData& /*all*/,
                             const ModelChoice& choice, Index /*rank*/) {
  refuse_readout(choice, "counts of projectors");
  const double numbers = std::ldexp(static_cast<double>(data.projectors.size()), data.qubits);
  constexpr double copies = 2;  // of their amplitudes, while they are made
  require_memory(copies * numbers * sizeof(std::complex<double>),
                 fmt::format("{} projectors of {} qubits", data.projectors.size(), data.qubits));
  return RankOneOperator<S>(product_bras(data.states, data.projectors).template cast<S>());
}

template <class S>
AnyOperator<S> make_operator(const PauliData& data, const PauliData& all, const ModelChoice& choice,
                             Index rank) {
  refuse_readout(choice, "Pauli expectations");
  require_room(static_cast<double>(data.strings.size()), data.qubits);
  const auto scale = static_cast<RealOf<S>>(scale_of(all));
  if (!choice.place) return PauliOperator<S>(data.qubits, data.strings, scale);
  return choice.place->pauli(data.qubits, data.strings, scale, std::max<Index>(rank, 1));
}

template <class S>
AnyOperator<S> make_operator(const CountsData& data, const CountsData& /*all*/,
                             const ModelChoice& choice, Index rank) {
  require_room(static_cast<double>(data.counts.size()), data.qubits);
  const ProductBasisOperator<S> settings(data.settings, data.bases);
  const Index n = settings.rows(), columns = std::clamp<Index>(rank, 1, n);
  require_memory(settings.work_space(columns) * sizeof(RealOf<S>),
                 fmt::format("the work of products with a factor of {} x {}", n, columns));
  const AnyOperator<S> ideal(settings);
  return choice.readout.empty() ? ideal : AnyOperator<S>(ReadoutOperator<S>(ideal, choice.readout));
}

template <class S>
AnyOperator<S> make_operator(const SeenCounts& data, const SeenCounts& /*all*/,
                             const ModelChoice& choice, Index rank) {
  require_room(static_cast<double>(data.counts.size()), data.qubits);
  const SeenOutcomesOperator<S> op(data.seen, data.bases, choice.readout);
  const Index columns = std::max<Index>(rank, 1);
  require_memory(op.work_space(columns) * sizeof(RealOf<S>),
                 fmt::format("the work of products with a factor of {} x {}", op.rows(), columns));
  return op;
}

template <class R>
AnyLoss<R> make_loss(const std::string& name, const PauliData& data, const PauliData& all) {
  const double scale = scale_of(all);
  Vector<R> y = cast<R>(scale * data.values);
  if (name == state_loss::least_squares) return LeastSquares<R>(std::move(y));
  return WeightedLeastSquares<R>(
      std::move(y), cast<R>((scale * data.errors).array().square().inverse().matrix()));
}

/// In the unit of intensity that makes the answer a state, all but for a factor near 1.
template <class R>
AnyLoss<R> make_loss(const std::string& /*poisson*/, const ProjectorData& data,
                     const ProjectorData& all) {
  const Vector<double> exposures = unit_intensity(all) * data.exposures;
  Poisson<R> loss(cast<R>(data.counts), cast<R>(exposures));
  if (all.accidentals.maxCoeff() == 0) return loss;
  return WithBackground(std::move(loss), cast<R>(data.accidentals.cwiseQuotient(exposures)));
}

template <class R>
AnyLoss<R> make_loss(const std::string& name, const CountsData& data, const CountsData& /*all*/) {
  const Vector<double> shots = for_outcomes(data.shots, data.qubits);
  if (name == state_loss::poisson) return Poisson<R>(cast<R>(data.counts), cast<R>(shots));
  Vector<R> frequencies = cast<R>(data.counts.cwiseQuotient(shots));
  if (name == state_loss::least_squares) return LeastSquares<R>(std::move(frequencies));
  return WeightedLeastSquares<R>(std::move(frequencies),
                                 cast<R>(inverse_variances(data.counts, shots)));
}

template <class R>
AnyLoss<R> make_loss(const std::string& name, const SeenCounts& data, const SeenCounts& /*all*/) {
  Vector<double> shots(data.counts.size());
  for (Index s = 0; s < data.shots.size(); ++s) {
    shots.segment(data.seen.begin(s), data.seen.count(s) + 1).setConstant(data.shots[s]);
  }
  if (name == state_loss::poisson) return Poisson<R>(cast<R>(data.counts), cast<R>(shots));
  return LeastSquares<R>(cast<R>(data.counts.cwiseQuotient(shots)));
}

/// The operator and the loss of these data; of several ranks each has a part.
template <class S, class Data>
std::pair<AnyOperator<S>, AnyLoss<RealOf<S>>> measured_by(const Data& data,
                                                          const ModelChoice& choice,
                                                          const RunSettings& settings,
                                                          const std::string& loss_name) {
  using R = RealOf<S>;
  const auto op_of = [&](const Data& part) {
    return make_operator<S>(part, data, choice, settings.rank);
  };
  const auto loss_of = [&](const Data& part) { return make_loss<R>(loss_name, part, data); };
  if (settings.ranks->is_alone()) return {op_of(data), loss_of(data)};
  auto parts = std::make_shared<const Parts>(parts_of(data, *settings.ranks));
  std::optional<AnyOperator<S>> own_op;
  std::optional<AnyLoss<R>> own_loss;
  if (parts->count() > 0) {
    const Data own = part_of(data, *parts);
    own_op = op_of(own);
    own_loss = loss_of(own);
  }
  return split_over<S>(std::move(parts), Index{1} << data.qubits, loss_of(data), std::move(own_op),
                       std::move(own_loss));
}

void require_set_of_states(const std::string& name) {
  const std::vector<std::string> names = state_constraint_names();
  if (std::ranges::find(names, name) != names.end()) return;
  throw InputError(
      fmt::format("constraint {}: found a constraint for images, expected one of {} for a state",
                  name, fmt::join(names, ", ")));
}

/// The set that is asked for, or the usual one. A state of low rank with some trace missing looks
/// like one with white noise: where the data do not show the trace it must be given to find the
/// rank, and at full rank to find the state.
/// A state of more qubits than are kept whole is taken to have few amplitudes: no laboratory has
/// the shots for a generic one.
ConstraintSpec choose_set(const Measurements& measured, const ModelChoice& choice,
                          const RunSettings& settings, Index n, bool shows_trace) {
  const bool any_spectrum =
      (settings.rank == 0 || settings.rank == n) && settings.method == "projfgd";
  const bool few_amplitudes = std::holds_alternative<SeenCounts>(measured) && shows_trace;
  const char* usual = few_amplitudes                 ? l1_ball
                      : any_spectrum && !shows_trace ? "frobenius-sphere:1"
                                                     : default_state_constraint;
  ConstraintSpec set = choice.set ? *choice.set : parse_constraint(usual);
  require_set_of_states(set.name);
  return set;
}

/// Of states times an intensity that nobody knows: what bounds their size is refused.
ConstraintSpec choose_cone(const ModelChoice& choice) {
  if (!choice.set) return {};
  for (const char* name : {"none", "real", "support"}) {
    if (choice.set->name == name) return *choice.set;
  }
  throw InputError(fmt::format(
      "constraint {}: found counts of projectors, whose intensity is not known, expected none, "
      "real or support",
      choice.set->name));
}

/// All of the model that does not depend on the scalar, but for the set.
ModelFacts facts_of(const Measurements& measured, const ModelChoice& choice) {
  ModelFacts facts;
  facts.qubits = qubits_of(measured);
  facts.loss = choice.loss == state_loss::automatic ? usual_loss(measured) : choice.loss;
  std::visit([&](const auto& data) { require_loss(facts.loss, data, choice.loss); }, measured);
  facts.noise = noise_of(measured);
  facts.noise.likelihood = noise_is_known(measured) && facts.loss != state_loss::least_squares;
  if (const auto* counts = std::get_if<CountsData>(&measured)) {
    facts.settings = counts->shots.size();
    if (counts->shots_known) facts.shots = counts->shots.sum();
  }
  if (const auto* data = std::get_if<ProjectorData>(&measured)) {
    facts.projectors = data->counts.size();
    facts.shots = data->counts.sum();
    facts.level_of_counts = {unit_intensity(*data) * data->exposures, data->counts.sum(),
                             data->accidentals.sum()};
  }
  if (const auto* counts = std::get_if<SeenCounts>(&measured)) {
    facts.settings = counts->shots.size();
    facts.shots = counts->shots.sum();
  }
  facts.shots_per_setting = shots_per_setting(measured);
  facts.white_predictions = white_predictions(measured, choice.readout);
  return facts;
}

}  // namespace

std::vector<std::string> state_loss_names() {
  return {state_loss::automatic, state_loss::poisson, state_loss::least_squares,
          state_loss::weighted};
}

std::vector<std::string> white_noise_names() {
  return {white_noise_option::automatic, white_noise_option::off};
}

std::vector<std::string> errors_names() {
  return {errors_option::automatic, errors_option::bootstrap, errors_option::none};
}

std::vector<std::string> state_constraint_names() {
  return {"none",         "frobenius-ball", "frobenius-sphere", l1_ball,  "real",
          "nuclear-ball", "spectral-ball",  "row-norm-ball",    "support"};
}

bool finds_radius(const ConstraintSpec& set) { return set.name == l1_ball && set.radius == 0; }

RunSettings with_rank(RunSettings settings, const Measurements& measured) {
  if (settings.rank == full_rank) settings.rank = Index{1} << qubits_of(measured);
  return settings;
}

std::string usual_loss(const Measurements& measured) {
  if (!noise_is_known(measured)) return state_loss::least_squares;
  if (std::holds_alternative<ProjectorData>(measured)) return state_loss::poisson;
  if (std::holds_alternative<SeenCounts>(measured)) return state_loss::poisson;
  const auto* counts = std::get_if<CountsData>(&measured);
  if (counts == nullptr) return state_loss::weighted;
  return has_negative(*counts) ? state_loss::least_squares : state_loss::poisson;
}

template <class S>
StateModel<S> make_model(const Measurements& measured, const ModelChoice& choice,
                         const RunSettings& settings) {
  using R = RealOf<S>;
  ModelFacts facts = facts_of(measured, choice);
  auto [op, loss] = std::visit(
      [&](const auto& data) { return measured_by<S>(data, choice, settings, facts.loss); },
      measured);
  if (loss.quadratic()) {  // else what predicting nothing costs is infinite
    facts.noise.size = loss.value(Vector<R>::Zero(op.measurements()));
  }
  facts.set = has_free_trace(measured) ? choose_cone(choice)
                                       : choose_set(measured, choice, settings, op.rows(),
                                                    facts.loss == state_loss::poisson);
  AnyConstraint<S> set = finds_radius(facts.set) ? AnyConstraint<S>(Unconstrained{})
                                                 : make_constraint<S>(facts.set, op.rows());
  return {{.op = std::move(op),
           .loss = std::move(loss),
           .set = std::move(set),
           .rank = settings.rank,
           .trace_bound = facts.set.trace_bound(),
           .only_trace = facts.set.only_trace()},
          std::move(facts)};
}

template <class S>
StateModel<S> make_model(const TomographyData& data, const RunSettings& settings) {
  StateModel<S> model = make_model<S>(data.measured, data.choice, settings);
  if (data.truth.size() > 0) {
    model.problem.error = error_against<S>(data.truth.cast<S>());
    if (has_free_trace(data.measured)) {  // the state is compared, not its intensity
      model.problem.error = [error = model.problem.error](const Matrix<S>& u) {
        const auto size = norm(u);
        return error(size > 0 ? Matrix<S>(u / size) : u);
      };
    }
  }
  model.problem.start = data.start.cast<S>();
  return model;
}

template <class S>
Vector<double> predictions(const Problem<S>& problem, const Matrix<S>& u) {
  Vector<RealOf<S>> p;
  problem.op.forward(u, p);
  return p.template cast<double>();
}

#define PROJFGD_INSTANTIATE(S)                                                                    \
  template StateModel<S> make_model(const Measurements&, const ModelChoice&, const RunSettings&); \
  template StateModel<S> make_model(const TomographyData&, const RunSettings&);                   \
  template Vector<double> predictions(const Problem<S>&, const Matrix<S>&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

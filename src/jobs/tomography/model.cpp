#include "jobs/tomography/model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "jobs/tomography/measured.hpp"
#include "jobs/tomography/measured_model.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/jobs/place.hpp"

namespace projfgd {
namespace {

[[noreturn]] void refuse_loss(const std::string& loss, const std::string& expected) {
  throw InputError(fmt::format("--loss: found \"{}\", expected {}", loss, expected));
}

constexpr const char* l1_ball = "l1-ball";

bool has_negative(const CountsData& data) { return data.counts.minCoeff() < 0; }

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
  if (std::ranges::find(names, name) == names.end()) {
    throw InputError(unknown_name("--loss", asked, names));
  }
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

void require_no_readout(const Measurements& measured, const ModelChoice& choice) {
  if (choice.readout.empty()) return;
  const bool paulis = std::holds_alternative<PauliData>(measured);
  if (!paulis && !std::holds_alternative<ProjectorData>(measured)) return;
  throw InputError(fmt::format("--readout: found {}, expected counts of settings",
                               paulis ? "Pauli expectations" : "counts of projectors"));
}

void require_set_of_states(const std::string& name) {
  const std::vector<std::string> names = state_constraint_names();
  if (std::ranges::find(names, name) != names.end()) return;
  throw InputError(
      fmt::format("--constraint {}: found a constraint for images, expected one of {} for a state",
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
      "--constraint {}: found counts of projectors, whose intensity is not known, expected none, "
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
  require_no_readout(measured, choice);
  auto [op, loss, there] = measured_model<S>(measured, choice, settings, facts.loss);
  if (loss.quadratic()) {  // else what predicting nothing costs is infinite
    facts.noise.size = loss.value(Vector<R>::Zero(op.measurements()));
  }
  facts.set = has_free_trace(measured) ? choose_cone(choice)
                                       : choose_set(measured, choice, settings, op.rows(),
                                                    facts.loss == state_loss::poisson);
  AnyConstraint<S> set = finds_radius(facts.set) ? AnyConstraint<S>(Unconstrained{})
                                                 : make_constraint<S>(facts.set, op.rows());
  StateModel<S> model{{.op = std::move(op),
                       .loss = std::move(loss),
                       .set = std::move(set),
                       .rank = settings.rank,
                       .trace_bound = facts.set.trace_bound(),
                       .only_trace = facts.set.only_trace()},
                      std::move(facts)};
  if (there) {
    const ConstraintSpec known = finds_radius(model.facts.set) ? ConstraintSpec{} : model.facts.set;
    model.problem.placed = there->problem(model.problem, model.facts.loss, known);
  }
  return model;
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

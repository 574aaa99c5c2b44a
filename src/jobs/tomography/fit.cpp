#include "jobs/tomography/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "jobs/tomography/bootstrap.hpp"
#include "jobs/tomography/held_state.hpp"
#include "jobs/tomography/measured.hpp"
#include "jobs/tomography/model_search.hpp"
#include "jobs/tomography/rank_search.hpp"
#include "jobs/tomography/sparse_state.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/measures/held_parameters.hpp"

namespace projfgd {
namespace {

constexpr double tolerance_of_other_fits = 1e-3;  // enough to tell which of two readings is right

/// A fit of one model: the rank that is asked for, or the one that the data support.
template <class S>
NotedAnswer<S> solve_one_model(const Measurements& measured, const StateModel<S>& model,
                               const RunSettings& settings) {
  const Problem<S>& problem = model.problem;
  if (settings.rank == 0) return solve_any_rank(problem, settings, model.facts.noise);
  Misfit<S> misfit;
  if (noise_is_known(measured) && keeps_all_outcomes(measured)) {
    misfit = [&](const Matrix<S>& u) {
      return goodness(measured, predictions(problem, u)).ratio();
    };
  }
  return solve_with_escapes(problem, settings, model.facts.noise, misfit);
}

/// The model choice: ranks and white noise, where the user leaves them open and the data can tell.
template <class S>
ChosenState<S> choose_and_solve(const TomographyInput& input, const TomographyData& data,
                                const StateModel<S>& model, const RunSettings& settings) {
  const Measurements& measured = data.measured;
  if (finds_radius(model.facts.set)) return find_sparse_state(input, measured, model, settings);
  const bool open = settings.rank == 0 && input.white_noise == white_noise_option::automatic;
  if (open && can_choose_model(model, settings)) return choose_state(model, settings);
  NotedAnswer<S> solved = solve_one_model(measured, model, settings);
  const Matrix<S>& u = solved.answer.result.factor;
  ChosenState<S> out{.op = model.problem.op, .fitted = u};
  out.predictions = predictions(model.problem, u);
  out.rank = u.cols();
  out.reason = std::move(solved.note);
  out.answer = std::move(solved.answer);
  return out;
}

/// A likelihood is infinite where something was counted that no state in the set can give.
template <class S>
void refuse_impossible(const StateModel<S>& model, const RunSettings& settings,
                       const Result<Matrix<S>>& result) {
  if (model.facts.loss != state_loss::poisson || result.status != Status::diverged ||
      settings.constraint.empty() || result.iterations > 0) {
    return;
  }
  throw InputError(fmt::format(
      "--constraint {}: found counts of outcomes that are impossible under it, expected "
      "a weaker constraint, or --loss least-squares",
      settings.constraint));
}

template <class S>
void refuse_nothing(const Matrix<S>& u, const InputFiles& inputs) {
  if (norm(u) > 0) return;
  throw InputError(fmt::format("{}: found data whose best fit is X = 0, expected those of a state",
                               fmt::join(inputs.names(), ", ")));
}

/// Whether the fit is the best of all states under the likelihood of complete data.
template <class S>
bool is_best_of_all(const StateModel<S>& model, const Matrix<S>& u) {
  const Index n = model.problem.op.rows();
  return model.facts.loss == state_loss::poisson && model.facts.settings > 0 && u.rows() == n &&
         u.cols() == n && model.facts.noise.determined >= parameters(n, n) - 1;
}

/// The parameters that X >= 0 leaves such a fit.
template <class S>
double parameters_left(const StateModel<S>& model, const Matrix<S>& u) {
  const AnyOperator<S>& op = model.problem.op;
  Vector<RealOf<S>> p;
  op.forward(u, p);
  const HeldState<S> held = held_state<S>(op, model.problem.loss, u, p);
  return held_parameters(held.eigenvalues, held.slopes, held.curvature);
}

template <class S>
FittedState found_state(const Measurements& measured, const StateModel<S>& model,
                        const ChosenState<S>& chosen) {
  const Noise& noise = model.facts.noise;
  const Result<Matrix<S>>& result = chosen.answer.result;
  const Matrix<S>& u = result.factor;
  FittedState found;
  found.state = normalised(u.template cast<std::complex<double>>());
  found.trace = u.squaredNorm();
  found.converged = result.status == Status::converged;
  found.eigenvalues = eigenvalues(found.state);
  found.rank = chosen.rank;
  found.white_noise = chosen.white_noise;
  found.predictions = chosen.predictions / found.trace;
  const Goodness good = goodness(measured, found.predictions);
  const double fitted = chosen.parameters > 0
                            ? std::min(chosen.parameters, noise.determined)
                            : fitted_parameters(noise.determined, u.rows(), found.eigenvalues);
  double freedom = degrees_of_freedom(good, noise.data, fitted);
  found.test = {good, freedom, noise.likelihood};
  // Of a point on the way it would tell nothing.
  const bool ended = !is_cut_short(result.status);
  if (ended && found.test.is_possible() && !found.test.fits() && is_best_of_all(model, u)) {
    const double left = parameters_left(model, u);  // a closer count, which costs more
    freedom = degrees_of_freedom(good, noise.data, std::min(left, fitted));
    found.test.freedom = freedom;
  }
  found.factor_test = {goodness(measured, chosen.predictions), freedom, noise.likelihood};
  return found;
}

/// What is left of the limits, for a fit that only has to show whether another assumption is right.
template <class S>
RunSettings settings_of_other(const RunSettings& settings, const Result<Matrix<S>>& so_far) {
  RunSettings other = settings;
  other.options = remaining(settings.options, so_far.iterations, so_far.seconds);
  other.options.tolerance = std::max(settings.options.tolerance, tolerance_of_other_fits);
  if (other.init != start_name::random) other.init = start_name::spectral;  // a file has its rank
  if (settings.progress) {
    other.progress = [&, from = so_far.iterations, since = so_far.seconds](TraceRow row) {
      row.iteration += from;
      row.seconds += since;
      settings.progress(row);
    };
  }
  return other;
}

/// Fits the data as they are here and under this choice of the model, and adds what that took to
/// the books of the answer.
template <class S>
OtherFit fit_other(const char* assumption, const Measurements& measured, const ModelChoice& choice,
                   Index rank, const RunSettings& settings, StateFit<S>& fit) {
  Result<Matrix<S>>& books = fit.answer.result;
  RunSettings other = settings_of_other(settings, books);
  other.rank = rank;
  const StateModel<S> model = make_model<S>(measured, choice, other);
  const Noise& noise = model.facts.noise;
  const Answer<S> answer = rank == 0 ? solve_any_rank(model.problem, other, noise).answer
                                     : solve_once(model.problem, other, noise);
  const Result<Matrix<S>>& result = answer.result;
  books.iterations += result.iterations;
  books.seconds += result.seconds;
  fit.answer.counts.forward += answer.counts.forward;
  fit.answer.counts.adjoint += answer.counts.adjoint;
  OtherFit found{assumption, fit.found.test, result.status, result.iterations, result.seconds};
  const Matrix<S>& u = result.factor;
  found.test.good = goodness(measured, predictions(model.problem, u) / u.squaredNorm());
  return found;
}

/// Counts with every label read from the other end; empty where that changes nothing.
std::optional<Measurements> labels_reversed(const Measurements& measured) {
  const auto* counts = std::get_if<CountsData>(&measured);
  if (counts == nullptr) return std::nullopt;
  CountsData reversed = *counts;
  for (Setting& setting : reversed.settings) std::ranges::reverse(setting);
  if (reversed.settings == counts->settings) return std::nullopt;
  return reversed;
}

/// Why noise does not explain the answer, as far as other fits can tell.
template <class S>
void fit_others(const TomographyData& data, const StateModel<S>& model, const RunSettings& settings,
                StateFit<S>& fit) {
  ModelChoice choice = data.choice;
  choice.set = model.facts.set;  // what is fitted to compare with must be in the same set
  const Index rank = fit.found.rank;
  if (const auto reversed = labels_reversed(data.measured)) {
    fit.found.labels_reversed =
        fit_other("labels reversed", *reversed, choice, rank, settings, fit);
  }
  if (!choice.readout.empty()) {
    choice.readout = {};
    const Index any = settings.rank == 0 ? 0 : rank;  // without it another may be called for
    fit.found.without_readout =
        fit_other("without readout calibration", data.measured, choice, any, settings, fit);
  }
}

/// Intervals by refits, and what these took, in the books of the answer.
template <class S>
void add_bootstrap(const TomographyData& data, const StateModel<S>& model, ChosenState<S>& solved,
                   const RunSettings& settings, int refits, FittedState& found) {
  const Stopwatch watch;
  Result<Matrix<S>>& books = solved.answer.result;
  const double none = std::nan("");
  found.refits =
      refitted_states<S>(data, model, {solved.op, solved.fitted}, found.predictions, settings,
                         {books.iterations, books.seconds, books.objective, none, none}, refits);
  use_refits(found.refits, found.state, data.questions, found.trust);
  books.seconds += watch.seconds();
  if (const auto done = static_cast<int>(found.refits.size()); done < refits) {
    books.status = is_interrupted(settings.interrupt) ? Status::interrupted : Status::time_limit;
    books.message = fmt::format("the intervals come from {} of {} resamples", done, refits);
  }
}

}  // namespace

template <class S>
StateFit<S> fit_state(const TomographyInput& input, const TomographyData& data,
                      const StateModel<S>& model, const RunSettings& settings) {
  ChosenState<S> solved = choose_and_solve(input, data, model, settings);
  refuse_impossible(model, settings, solved.answer.result);
  refuse_nothing(solved.answer.result.factor, data.inputs);
  FittedState found = found_state(data.measured, model, solved);
  found.note = std::move(solved.reason);
  const bool misfit = found.converged && found.test.is_possible() && !found.test.fits();
  found.trust =
      trust_of(data, model, {solved.op, solved.fitted}, found.state, found.predictions,
               solved.answer.result, misfit ? found.test.times_noise() : 1, input.errors, settings);
  if (const int refits = bootstrap_refits(input.errors); refits > 0) {
    add_bootstrap(data, model, solved, settings, refits, found);
  }
  if (misfit && may_go_on(options_of(settings), solved.answer.result.seconds)) {
    const Stopwatch watch;
    found.wrong_count = find_wrong_count(data, model, FittedModelView<S>{solved.op, solved.fitted},
                                         found.test, solved.answer.result.objective, settings);
    solved.answer.result.seconds += watch.seconds();
  }
  StateFit<S> fit{std::move(solved.answer), std::move(found)};
  Result<Matrix<S>>& books = fit.answer.result;
  if (books.status == Status::converged && is_interrupted(settings.interrupt)) {
    books.status = Status::interrupted;
    books.message = "the state is complete, but its intervals are not";
    return fit;
  }
  if (misfit) fit_others(data, model, settings, fit);
  return fit;
}

template StateFit<std::complex<float>> fit_state(const TomographyInput&, const TomographyData&,
                                                 const StateModel<std::complex<float>>&,
                                                 const RunSettings&);
template StateFit<std::complex<double>> fit_state(const TomographyInput&, const TomographyData&,
                                                  const StateModel<std::complex<double>>&,
                                                  const RunSettings&);

}  // namespace projfgd

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "jobs/common/certificate.hpp"
#include "jobs/common/escape.hpp"
#include "jobs/common/listening.hpp"
#include "jobs/common/make_record.hpp"
#include "jobs/common/split.hpp"
#include "jobs/common/start_file.hpp"
#include "jobs/matrix/judge.hpp"
#include "jobs/matrix/model.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/matrix_problem.hpp"

namespace projfgd {
namespace {

/// The set; where the description names it, so does what is wrong with it.
template <class S>
AnyConstraint<S> make_set(const MatrixDescription& d, const RunSettings& settings,
                          InputFiles& inputs) {
  const auto make = [&] {
    return make_constraint<S>(with_mask(d.constraint, inputs), d.dimension);
  };
  return settings.constraint.empty() ? named(d.path, make) : make();
}

/// The operator and the loss; of several ranks each has a part.
template <class S>
std::pair<AnyOperator<S>, AnyLoss<RealOf<S>>> measured_and_lost(const MatrixDescription& d,
                                                                const RunSettings& settings,
                                                                InputFiles& inputs) {
  Measured<S> measured = measure<S>(d, inputs);
  const LossMaker<RealOf<S>> loss_of = read_loss(d, measured, inputs);
  if (settings.ranks->is_alone() || !measured.some) {
    return {std::move(measured.op), loss_of(nullptr)};
  }
  const Index each = measured.numbers_per_place;
  auto parts =
      std::make_shared<const Parts>(equal_parts(*settings.ranks, measured.y.size() / each, each));
  std::optional<AnyOperator<S>> own_op;
  std::optional<AnyLoss<RealOf<S>>> own_loss;
  if (parts->count() > 0) {
    own_op = measured.some(parts->begin() / each, parts->count() / each);
    own_loss = loss_of(parts.get());
  }
  return split_over<S>(std::move(parts), d.dimension, loss_of(nullptr), std::move(own_op),
                       std::move(own_loss));
}

template <class S>
Problem<S> make_problem(const MatrixDescription& d, const RunSettings& settings, InputFiles& inputs,
                        bool* truth_is_matrix) {
  auto [op, loss] = measured_and_lost<S>(d, settings, inputs);
  return {.op = std::move(op),
          .loss = std::move(loss),
          .set = make_set<S>(d, settings, inputs),
          .rank = settings.rank,
          .trace_bound = d.constraint.trace_bound(),
          .error = truth_error<S>(settings, d.dimension, truth_is_matrix),
          .only_trace = d.constraint.only_trace(),
          .start = read_start<S>(settings, d.dimension, inputs)};
}

/// A likelihood is infinite between the signs of a prediction's root, so that a poor start stays
/// poor; what is far above noise is left through a larger rank.
template <class S>
NotedAnswer<S> solve_counts(const Problem<S>& problem, const RunSettings& settings) {
  const Index counts = problem.op.measurements();
  const auto numbers = static_cast<double>(counts);
  const Noise noise{.data = numbers, .determined = numbers, .likelihood = true};
  Composite f(problem.op, problem.loss);
  return solve_with_escapes<S>(problem, settings, noise,
                               [&](const Matrix<S>& u) { return counts_misfit(counts, f.at(u)); });
}

LossKind kind_of(const std::string& loss) {
  if (loss == "poisson") return LossKind::counts;
  return loss == "logistic" ? LossKind::bits : LossKind::squares;
}

/// How much better any X >= 0 could do; nothing for an answer that is not finite.
template <class S>
void add_certificate(const MatrixDescription& d, const Problem<S>& problem, const Matrix<S>& u,
                     const Interrupt& interrupt, Json& summary) {
  if (is_interrupted(interrupt)) return;
  const LossKind kind = kind_of(require_string(d.loss, "type", d.path));
  Vector<RealOf<S>> p;
  problem.op.forward(u, p);
  if (!std::isfinite(problem.loss.value(p))) return;
  auto gap = certify(problem, kind, trace_set(d.constraint.name), p, interrupt);
  if (!gap) return;
  // No loss here is below 0; where f is all but 0 the run's own value differs by rounding.
  gap->value = std::min(gap->value, summary.value("objective", gap->value));
  summary["optimality_gap"] = gap_json(*gap, kind != LossKind::squares);
}

/// Read, model, fit and judge, as the other jobs do.
template <class S>
RunRecord solve_description(const MatrixDescription& d, const RunSettings& settings,
                            InputFiles& inputs, const Stopwatch& watch) {
  bool truth_is_matrix = false;
  const Problem<S> problem = make_problem<S>(d, settings, inputs, &truth_is_matrix);
  const double setup_seconds = watch.seconds();
  const bool counts = require_string(d.loss, "type", d.path) == "poisson";
  NotedAnswer<S> out = counts ? solve_counts(problem, settings)
                              : NotedAnswer<S>{solve_problem(problem, settings), ""};
  const Matrix<S> u = out.answer.result.factor;
  RunSettings shown = settings;
  if (d.constraint.name != "none") shown.constraint = d.constraint.text();
  RunRecord record = make_record(problem, shown, std::move(out.answer), setup_seconds, inputs);
  add_certificate(d, problem, u, settings.interrupt, record.summary);
  if (!out.note.empty()) add_warnings({out.note}, record.summary);
  if (problem.error) record.summary["truth_is"] = truth_is_matrix ? "matrix" : "factor";
  const auto zero = Vector<RealOf<S>>::Zero(problem.op.measurements());
  judge_matrix(d, problem.loss.quadratic() ? problem.loss.value(zero) : 0, record.summary);
  return record;
}

}  // namespace

RunRecord run_matrix_problem(const std::filesystem::path& path, const RunSettings& settings) {
  const Stopwatch watch;
  const Listening listening = listen_to_user(settings);
  InputFiles inputs = settings.inputs();
  MatrixDescription d = read_description(path, inputs);
  RunSettings chosen = settings;
  if (chosen.rank == 0) chosen.rank = d.rank;
  if (chosen.rank == 0) {
    fail(d, fmt::format("found no rank, expected --rank R{}",
                        d.only_entries ? "" : " or the key \"rank\""));
  }
  if (chosen.truth.empty()) chosen.truth = d.truth;
  if (!chosen.constraint.empty()) d.constraint = parse_constraint(chosen.constraint);
  require_solver_memory(d.dimension, 0, chosen.rank, d.complex, chosen);
  read_known_entries(d, inputs);
  return with_scalar(d.complex, settings.single_precision,
                     [&]<class S>() { return solve_description<S>(d, chosen, inputs, watch); });
}

}  // namespace projfgd

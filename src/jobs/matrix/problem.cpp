#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "jobs/common/certificate.hpp"
#include "jobs/common/escape.hpp"
#include "jobs/common/listening.hpp"
#include "jobs/common/make_record.hpp"
#include "jobs/common/split.hpp"
#include "jobs/common/start_file.hpp"
#include "jobs/matrix/judge.hpp"
#include "jobs/matrix/model.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/matrix_problem.hpp"
#include "projfgd/jobs/place.hpp"

namespace projfgd {
namespace {

/// What the set is made of; where the description names it, so does what is wrong with it.
template <class S>
std::pair<ConstraintSpec, AnyConstraint<S>> make_set(const MatrixDescription& d,
                                                     const RunSettings& settings,
                                                     InputFiles& inputs) {
  const auto make = [&] {
    ConstraintSpec spec = with_mask(d.constraint, inputs);
    AnyConstraint<S> set = make_constraint<S>(spec, d.dimension);
    return std::pair{std::move(spec), std::move(set)};
  };
  return settings.constraint.empty() ? named(d.path, make) : make();
}

/// Multiplications of a product with so many columns.
template <class S>
double work_of(const MatrixOperator<S>& op, Index columns) {
  const auto of = [columns](const auto& host) -> double {
    using A = std::decay_t<decltype(*host)>;
    const auto rows = static_cast<double>(host->rows()),
               numbers = static_cast<double>(host->measurements()),
               width = static_cast<double>(columns);
    if constexpr (std::is_same_v<A, DenseOperator<S>>) return numbers * rows * rows;
    if constexpr (std::is_same_v<A, RankOneOperator<S>>) return numbers * rows * width;
    return numbers * width;
  };
  constexpr double each = is_complex<S> ? 4 : 1;
  return each * std::visit(of, op.host);
}

/// The operator and the loss, and where else they are.
template <class S>
struct MatrixModel {
  AnyOperator<S> op;
  AnyLoss<RealOf<S>> loss;
  std::shared_ptr<const Place> place = {};
  std::shared_ptr<const PlacedMatrices<S>> there = {};
  MatrixLoss<RealOf<S>> loss_there = {};
};

template <class S>
MatrixModel<S> in_one_process(Measured<S> measured, MatrixLoss<RealOf<S>> loss,
                              const MatrixInput& input, Index columns) {
  const double work = measured.known ? work_of(*measured.known, columns) : 0;
  const auto place =
      input.place ? input.place : find_place(input.device, work, "data of the operator identity");
  AnyLoss<RealOf<S>> here = loss.template in<Host>();
  if (!place || !measured.known) return {std::move(measured.op), std::move(here)};
  const auto there = place->matrices(*measured.known, columns);
  return {there->op(), std::move(here), place, there, std::move(loss)};
}

/// Of several ranks each has a part.
template <class S>
MatrixModel<S> make_model(const MatrixDescription& d, const MatrixInput& input,
                          const RunSettings& settings, InputFiles& inputs) {
  Measured<S> measured = measure<S>(d, inputs);
  const MatrixLoss<RealOf<S>> loss = read_loss(d, measured, inputs);
  if (settings.ranks->is_alone()) {
    return in_one_process(std::move(measured), loss, input, settings.rank);
  }
  find_place(input.device, 0, "matrix problems of several processes");  // refuses what cannot be
  AnyLoss<RealOf<S>> all = loss.template in<Host>();
  if (!measured.some) return {std::move(measured.op), std::move(all)};
  const Index each = measured.numbers_per_place;
  auto parts =
      std::make_shared<const Parts>(equal_parts(*settings.ranks, measured.y.size() / each, each));
  std::optional<AnyOperator<S>> own_op;
  std::optional<AnyLoss<RealOf<S>>> own_loss;
  if (parts->count() > 0) {
    own_op = measured.some(parts->begin() / each, parts->count() / each);
    own_loss = loss.template in<Host>(parts.get());
  }
  auto [op, split] = split_over<S>(std::move(parts), d.dimension, std::move(all), std::move(own_op),
                                   std::move(own_loss));
  return {std::move(op), std::move(split)};
}

template <class S>
Problem<S> make_problem(const MatrixDescription& d, MatrixModel<S> model,
                        const RunSettings& settings, InputFiles& inputs, bool* truth_is_matrix) {
  auto [spec, set] = make_set<S>(d, settings, inputs);
  Problem<S> problem{.op = std::move(model.op),
                     .loss = std::move(model.loss),
                     .set = std::move(set),
                     .rank = settings.rank,
                     .trace_bound = d.constraint.trace_bound(),
                     .error = truth_error<S>(settings, d.dimension, truth_is_matrix),
                     .only_trace = d.constraint.only_trace(),
                     .start = read_start<S>(settings, d.dimension, inputs)};
  if (model.there) problem.placed = model.there->problem(problem, model.loss_there, spec);
  return problem;
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
RunRecord solve_description(const MatrixDescription& d, const MatrixInput& input,
                            const RunSettings& settings, InputFiles& inputs,
                            const Stopwatch& watch) {
  set_threads(settings.threads);  // which a place is compared with
  bool truth_is_matrix = false;
  MatrixModel<S> model = make_model<S>(d, input, settings, inputs);
  const std::string device = model.place ? model.place->name() : device_name::cpu;
  const Problem<S> problem = make_problem(d, std::move(model), settings, inputs, &truth_is_matrix);
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
  record.summary["device"] = device;
  return record;
}

}  // namespace

RunRecord run_matrix_problem(const MatrixInput& input, const RunSettings& settings) {
  const Stopwatch watch;
  require_device_name(input.device);
  const Listening listening = listen_to_user(settings);
  InputFiles inputs = settings.inputs();
  MatrixDescription d = read_description(input.problem, inputs);
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
  return with_scalar(d.complex, settings.single_precision, [&]<class S>() {
    return solve_description<S>(d, input, chosen, inputs, watch);
  });
}

}  // namespace projfgd

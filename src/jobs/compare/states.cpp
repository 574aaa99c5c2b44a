#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <utility>

#include "jobs/common/escape.hpp"
#include "jobs/common/make_record.hpp"
#include "jobs/common/trace_methods.hpp"
#include "jobs/compare/methods.hpp"
#include "jobs/compare/rows.hpp"
#include "jobs/tomography/measured.hpp"
#include "jobs/tomography/trust.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {
namespace {

/// Eigenvalues of X that are more than rounding or the tail of an average.
template <class S>
Index numerical_rank(const Matrix<S>& u) {
  const Vector<RealOf<S>> values = hermitian_eigenvalues(gram(u, u));
  return (values.array() > values.maxCoeff() * RealOf<S>(1e-6)).count();
}

/// At which rank a comparison was made for which none was asked.
std::string rank_line(const std::vector<std::string>& methods) {
  const auto others = chosen(methods, [](const auto& method) { return !keeps_rank(method); });
  if (others.empty()) return "all methods were compared at rank 1; use --rank for another";
  return fmt::format(
      "methods with a fixed rank used rank 1, while {} started there and chose the rank of {}; use "
      "--rank for another",
      fmt::join(others, ", "), others.size() == 1 ? "its answer" : "their answers");
}

/// Whether an answer whose trace is that has left the set, beyond rounding.
template <class S>
bool is_outside(const Problem<S>& problem, double trace) {
  const double rounding = std::max<double>(1e-6, 100 * std::numeric_limits<RealOf<S>>::epsilon());
  return trace > (1 + rounding) * problem.trace_bound;
}

/// How far the answer may be from the best, or that it is not in the set.
template <class S>
void certify_answer(const StateModel<S>& model, const Matrix<S>& u, bool wanted,
                    const Interrupt& interrupt, Json& summary) {
  const Problem<S>& problem = model.problem;
  const double trace = summary["trace"].get<double>();
  if (is_outside(problem, trace)) {
    summary["outside_set"] = true;
    summary.erase("gap");
    add_warnings({fmt::format("the answer is infeasible: tr X = {:.5g} exceeds {:.5g}, so it has "
                              "no gap and is not ranked with the others",
                              trace, problem.trace_bound)},
                 summary);
  } else if (wanted) {
    Vector<RealOf<S>> p;
    problem.op.forward(u, p);
    const auto gap = certify_state(model, p, interrupt);
    if (!gap) return;
    summary["gap"] = gap->value;
    summary["certified"] = gap->certified;
  }
}

template <class S>
ComparedRun run_one(const StateModel<S>& model, const RunSettings& settings, bool certify) {
  // Of the noise nothing but its size, so that the change of X alone stops a method.
  Answer<S> answer =
      solve_with_escapes(model.problem, settings, {.size = model.facts.noise.size}, {}).answer;
  const Matrix<S> u = answer.result.factor;
  RunRecord record = make_record(model.problem, settings, std::move(answer), 0, InputFiles());
  record.summary["rank"] = numerical_rank(u);
  certify_answer(model, u, certify, settings.interrupt, record.summary);
  return compared_run(std::move(record), settings.method);
}

/// Least squares where a method knows no other loss and none is asked for; the line says so.
std::optional<std::string> take_least_squares(const std::vector<std::string>& methods,
                                              TomographyData& data) {
  const auto squares = chosen(methods, needs_least_squares);
  const std::string usual = usual_loss(data.measured);
  if (data.choice.loss != state_loss::automatic || squares.empty() ||
      usual != state_loss::poisson) {
    return std::nullopt;
  }
  data.choice.loss = state_loss::least_squares;
  return fmt::format(
      "all methods use least squares, the only loss that {} support{}; without {} the loss would "
      "be {} (set it with --loss)",
      fmt::join(squares, ", "), squares.size() == 1 ? "s" : "", squares.size() == 1 ? "it" : "them",
      usual);
}

template <class S>
Comparison compare_on(const TomographyData& data, const CompareInput& input,
                      const RunSettings& settings) {
  const StateModel<S> model = make_model<S>(data, settings);
  Comparison out{common_summary("tomography", settings),
                 compare_methods(model, input.methods, settings, true, input.done)};
  out.summary["qubits"] = model.facts.qubits;
  out.summary["rank"] = settings.rank;
  out.summary["dimension"] = model.problem.op.rows();
  out.summary["measurements"] = model.problem.op.measurements();
  out.summary["loss"] = model.facts.loss;
  out.summary["constraint"] = model.facts.set.text();
  return out;
}

}  // namespace

template <class S>
std::vector<ComparedRun> compare_methods(const StateModel<S>& model,
                                         const std::vector<std::string>& methods,
                                         const RunSettings& settings, bool certify,
                                         const MethodDone& done) {
  for (const std::string& method : methods) require_method_for(model.problem, method, "methods");
  std::vector<ComparedRun> runs;
  for (const std::string& method : methods) {
    RunSettings one = settings;
    one.method = method;
    one.spare_errors = true;
    ComparedRun run;
    limited_piece(
        settings.journal, "method", [&] { run = run_one(model, one, certify); }, run);
    runs.push_back(std::move(run));
    if (done) done(runs.back());
    if (is_interrupted(settings.interrupt)) break;
  }
  return runs;
}

Comparison compare_states(const CompareInput& input, RunSettings settings) {
  const bool rank_given = settings.rank != 0;
  if (!rank_given) settings.rank = 1;
  TomographyData data = read_tomography(input.tomography, settings);
  settings = with_rank(std::move(settings), data.measured);
  data.choice.loss = input.loss;
  if (!data.choice.set && !has_free_trace(data.measured)) {
    data.choice.set = parse_constraint(default_state_constraint);  // all have it
  }
  if (data.choice.set && finds_radius(*data.choice.set)) {  // a comparison is on one set
    make_constraint<std::complex<double>>(*data.choice.set, Index{1} << qubits_of(data.measured));
  }
  const auto squares = take_least_squares(input.methods, data);
  Comparison out = settings.single_precision
                       ? compare_on<std::complex<float>>(data, input, settings)
                       : compare_on<std::complex<double>>(data, input, settings);
  if (squares) add_warnings({*squares}, out.summary);
  if (!rank_given) add_warnings({rank_line(input.methods)}, out.summary);
  out.summary["input"] = data.inputs.names();
  out.summary["input_sha256"] = data.inputs.sha256();
  return out;
}

template std::vector<ComparedRun> compare_methods(const StateModel<std::complex<float>>&,
                                                  const std::vector<std::string>&,
                                                  const RunSettings&, bool, const MethodDone&);
template std::vector<ComparedRun> compare_methods(const StateModel<std::complex<double>>&,
                                                  const std::vector<std::string>&,
                                                  const RunSettings&, bool, const MethodDone&);

}  // namespace projfgd

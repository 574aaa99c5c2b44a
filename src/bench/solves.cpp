#include <fmt/format.h>

#include <optional>

#include "bench/sections.hpp"
#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/measures/noise.hpp"
#include "projfgd/operators/counting.hpp"
#include "projfgd/solvers/projfgd.hpp"

namespace projfgd::bench {
namespace {

using C = std::complex<double>;
constexpr double noise_norm = 1e-3;

struct Solve {
  int qubits;
  Index rank;
  double samples;
  double most_seconds = unset;   ///< what is asked for on two cores
  double paper_seconds = unset;  ///< context: another machine, another language
  /// Of nonlinear conjugate gradients with exact line search, two forwards and one adjoint each.
  double rival_iterations = unset;
};

struct Outcome {
  Result<Matrix<C>> result;
  OracleCounts counts;
  Index start_calls;
  double error;
};

/// From the strings and their values to the state: operator, start and iterations.
Outcome solve(const Solve& job, const std::vector<PauliString>& strings, const Vector<double>& y,
              const Matrix<C>& truth) {
  const double scale = pauli_scale(job.qubits, strings.size());
  const CountingOperator op(PauliOperator<C>(job.qubits, strings, scale));
  Composite f(op, LeastSquares<double>(scale * y));
  ::projfgd::Options options;
  options.objective_tolerance = tolerance_under_noise(parameters(op.rows(), job.rank),
                                                      static_cast<double>(op.measurements()));
  auto start = spectral_start(f, job.rank);
  const Index start_calls = op.counts().forward + op.counts().adjoint;
  auto result = ::projfgd::projfgd(f, FrobeniusBall(1), std::move(start), options);
  const double error = relative_error(result.factor, truth);
  return {std::move(result), op.counts(), start_calls, error};
}

bool emit_solve(const Context& context, const Solve& job) {
  const Index n = Index{1} << job.qubits;
  const auto m = static_cast<Index>(job.samples * static_cast<double>(n * job.rank));
  const auto strings = random_paulis(job.qubits, m, context.options.seed);
  Matrix<C> truth(n, job.rank), noise(m, 1);
  fill_normal(RandomStream(context.options.seed, 0xC1), truth);
  truth /= truth.norm();
  fill_normal(RandomStream(context.options.seed, 0xC2), noise);
  PauliOperator<C> op(job.qubits, strings, 1);
  Vector<double> y;
  op.forward(truth, y);
  y += noise_norm / noise.real().norm() * noise.real().col(0);

  reset_peak_memory();
  const double before = peak_memory();
  std::optional<Outcome> outcome;
  Matrix<C> g;
  Vector<double> p;
  // The time of the solve in units of one forward and one adjoint product, timed in turn with it.
  const Comparison c = compare_times(
      [&] {
        op.forward(truth, p);
        op.adjoint_times(y, truth, g);
      },
      [&] { outcome = solve(job, strings, y, truth); }, context.repeats);
  Row row{"solves",       fmt::format("q={} r={} C={}", job.qubits, job.rank, job.samples),
          c.ratio.median, "forward and adjoint products",
          c.ratio.spread, c.best};
  row.higher_is_better = false;
  row.details = {{"seconds", c.second.median},
                 {"seconds_asked_for", job.most_seconds},
                 {"paper_seconds", job.paper_seconds},
                 {"iterations", outcome->result.iterations},
                 {"forward_calls", outcome->counts.forward},
                 {"adjoint_calls", outcome->counts.adjoint},
                 {"calls_over_conjugate_gradients",
                  static_cast<double>(outcome->counts.forward + outcome->counts.adjoint -
                                      outcome->start_calls) /
                      (3 * job.rival_iterations)},
                 {"start_calls", outcome->start_calls},
                 {"relative_error", outcome->error},
                 {"objective", outcome->result.objective},
                 {"status", to_string(outcome->result.status)},
                 {"peak_megabytes", peak_memory() / 1e6},
                 {"peak_megabytes_before", before / 1e6}};
  return context.emit(row);
}

}  // namespace

bool run_solves(const Context& context) {
  const std::vector<Solve> all = {
      {8, 1, 3, unset, 0.69},
      {8, 1, 6, unset, 0.90},
      {8, 1, 10, unset, 1.88},
      {10, 1, 3, 0.05, 13.95, 58},
      {10, 1, 6, unset, 19.40},
      {10, 1, 10, unset, 49.45},
      {12, 1, 3, 0.6, 266.82, 56},
      {12, 1, 6, unset, 440.72},
      {12, 1, 10, unset, 1159.29},
      {13, 1, 3, 3, 1214.07, 64},
      {13, 1, 6},
      {13, 1, 10},
      {10, 20, 3},
      {12, 20, 3, 30},
  };
  for (const Solve& job : all) {
    if (context.options.quick && (job.qubits > 10 || job.rank > 1)) continue;
    Context one{context.options, context.emit, context.repeats};
    if (job.qubits > 10 || job.rank > 1) one.repeats.fewest = 3;
    if (job.qubits == 12 && job.rank == 20) one.repeats = {0, 1, 1};
    if (!emit_solve(one, job)) return false;
  }
  return true;
}

}  // namespace projfgd::bench

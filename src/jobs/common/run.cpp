#include "projfgd/jobs/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/common/hermitian.hpp"
#include "jobs/common/make_record.hpp"
#include "jobs/common/start_file.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/jobs/methods.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/starts/random.hpp"

namespace projfgd {
namespace {

constexpr const char *factor_file = "factor.npy", *trace_file = "trace.csv",
                     *report_file = "report.html", *summary_file = "summary.json";

/// Factors that a run keeps: eleven of the step rule `auto`, the answer, and two a pair of its
/// memory. Other methods keep fewer.
double factors_kept(const Options& options) { return 12 + 2.0 * options.memory; }

template <class S>
Start<Matrix<S>> make_start(typename MethodCall<S>::Objective& f, const Problem<S>& problem,
                            const RunSettings& settings, const RunObserver<S>& observer) {
  EigenOptions eigen = start_accuracy(settings.options.seed);
  eigen.go_on = [&] {
    return observer.seconds() < settings.options.time_limit && !is_interrupted(settings.interrupt);
  };
  const double smoothness = settings.options.smoothness;
  if (settings.init == start_name::spectral)
    return spectral_start(f, problem.rank, smoothness, eigen);
  if (settings.init == start_name::random)
    return random_start(f, problem.rank, settings.options.seed);
  if (problem.start.cols() != problem.rank) {
    throw InputError(fmt::format("{}: found {} columns, expected the rank {}, or another --rank",
                                 settings.init, problem.start.cols(), problem.rank));
  }
  return {problem.start, smoothness};
}

}  // namespace

std::vector<std::string> start_names() { return {start_name::spectral, start_name::random}; }

template <class S>
Matrix<S> read_factor(const std::filesystem::path& path, Index rows, InputFiles& inputs) {
  const Array array = inputs.npy(path);
  Matrix<S> factor = to_matrix<S>(array, path);
  if (factor.rows() != rows || factor.cols() < 1) {
    throw InputError(fmt::format("{}: found shape {}, expected a factor with {} rows",
                                 path.string(), shape_text(array.shape), rows));
  }
  return factor;
}

template <class S>
std::function<double(const Matrix<S>&)> error_against(Matrix<S> truth) {
  return [truth = std::move(truth)](const Matrix<S>& u) {
    return static_cast<double>(relative_error(u, truth));
  };
}

template <class S>
std::function<double(const Matrix<S>&)> truth_error(const RunSettings& settings, Index rows,
                                                    bool* is_matrix) {
  if (settings.truth.empty()) return {};
  InputFiles apart(settings.in_memory);  // the answer does not depend on it
  Matrix<S> truth = read_factor<S>(settings.truth, rows, apart);
  if (!(norm(truth) > 0)) {
    throw InputError(
        fmt::format("{}: found zeros alone, expected a truth", settings.truth.string()));
  }
  *is_matrix = rows > 1 && is_hermitian(truth);
  if (*is_matrix) truth = factor_of(truth, settings.truth);
  return error_against<S>(std::move(truth));
}

void require_solver_memory(Index rows, Index measurements, Index rank, bool complex,
                           const RunSettings& settings) {
  // Iterates and quasi-Newton pairs, the basis of the start's eigenproblem with its image, and the
  // predictions.
  const auto n = static_cast<double>(rows), r = static_cast<double>(rank);
  const double real_bytes = settings.single_precision ? 4 : 8;
  const double basis = std::min(n, static_cast<double>(start_accuracy(1).max_basis) * r);
  const double bytes =
      n * (r * factors_kept(settings.options) + 2 * basis) * real_bytes * (complex ? 2 : 1) +
      bytes_of_data(static_cast<double>(measurements), real_bytes);
  require_memory(bytes, fmt::format("a factor of {} x {} with its workspace", rows, rank));
}

template <class S>
Answer<S> solve_problem(const Problem<S>& problem, const RunSettings& settings) {
  validate_rank(problem.rank, problem.op.rows());
  require_solver_memory(problem.op.rows(), problem.op.measurements(), problem.rank, is_complex<S>,
                        settings);
  validate(settings.options);
  set_threads(settings.threads);

  const typename MethodCall<S>::Operator op(problem.op);
  typename MethodCall<S>::Objective f(op, problem.loss);
  std::vector<TraceRow> trace;
  RunObserver<S> observer(settings, problem.error, trace);
  MethodCall<S> call{problem, op, f, {}, options_of(settings), observer};
  call.options.keep_trace = false;  // the observer keeps one, with the errors
  double smoothness = 0;
  call.start = [&] {
    Start<Matrix<S>> start = make_start(f, problem, settings, observer);
    smoothness = start.smoothness;
    call.options.time_limit = time_left(call.options.time_limit, observer.seconds());
    return start;
  };
  Result<Matrix<S>> result = run_method(settings.method, call);
  observer.settle(result);
  result.seconds = observer.seconds();
  result.trace = std::move(trace);
  if (!all_finite(result.factor) || !std::isfinite(result.objective)) {
    if (result.status != Status::diverged) result.message = "the iterates are no longer finite";
    result.status = Status::diverged;
  }
  return {std::move(result), op.counts(), smoothness};
}

template <class S>
RunRecord make_record(Index dimension, Index measurements, const RunSettings& settings,
                      Answer<S> answer, double setup_seconds, const InputFiles& inputs) {
  Result<Matrix<S>>& result = answer.result;
  RunRecord record;
  record.status = result.status;
  record.trace = std::move(result.trace);
  record.factor = to_array(result.factor);
  const double size = norm(result.factor);
  record.summary = {{"status", to_string(result.status)},
                    {"message", result.message},
                    {"method", settings.method},
                    {"iterations", result.iterations},
                    {"seconds", result.seconds},
                    {"setup_seconds", setup_seconds},
                    {"objective", result.objective},
                    {"projected_gradient", result.projected_gradient},
                    {"rank", result.factor.cols()},
                    {"dimension", dimension},
                    {"measurements", measurements},
                    {"trace", size * size},
                    {"forward_calls", answer.counts.forward},
                    {"adjoint_calls", answer.counts.adjoint},
                    {"precision", settings.single_precision ? "single" : "double"},
                    {"tolerance", settings.options.tolerance},
                    {"max_iterations", settings.options.max_iterations},
                    {"seed", settings.options.seed},
                    {"threads", threads()},
                    {"version", version()},
                    {"input", inputs.names()},
                    {"input_sha256", inputs.sha256()}};
  if (result.eigenproblems > 0) record.summary["eigenvector_calls"] = result.eigenproblems;
  if (std::isfinite(result.gap)) record.summary["gap"] = result.gap;
  return record;
}

template <class S>
RunRecord make_record(const Problem<S>& problem, const RunSettings& settings, Answer<S> answer,
                      double setup_seconds, const InputFiles& inputs) {
  const double error = problem.error ? problem.error(answer.result.factor) : std::nan("");
  RunRecord record = make_record(problem.op.rows(), problem.op.measurements(), settings,
                                 std::move(answer), setup_seconds, inputs);
  if (problem.error) record.summary["relative_error"] = error;
  add_warnings(unused_settings(settings, std::isfinite(problem.trace_bound)), record.summary);
  return record;
}

void add_warnings(const std::vector<std::string>& lines, Json& summary) {
  for (const std::string& line : lines) summary["warnings"].push_back(line);
}

std::string trace_csv(const std::vector<TraceRow>& trace) {
  const auto number = [](double x) { return std::isfinite(x) ? fmt::format("{}", x) : ""; };
  std::string text = "iteration,seconds,objective,relative_change,relative_error\n";
  for (const TraceRow& row : trace) {
    text += fmt::format("{},{:.6f},{},{},{}\n", row.iteration, row.seconds, number(row.objective),
                        number(row.relative_change), number(row.relative_error));
  }
  return text;
}

std::string report_html(const RunRecord& record) {
  Report report = start_report("Low-rank positive semidefinite matrix", "", record.summary);
  if (record.report) {
    record.report(report);
  } else {
    report.sections.push_back(
        matrix_section(to_matrix<std::complex<double>>(record.factor, factor_file)));
  }
  report.sections.push_back(
      convergence_section(cut_by_stage(record.summary, record.trace), sought_in(record.summary)));
  return render(report);
}

std::vector<std::string> output_names() {
  return {factor_file, trace_file, report_file, summary_file};
}

void write_outputs(const std::filesystem::path& folder, const RunRecord& record) {
  make_folder(folder);
  write_npy(folder / factor_file, record.factor);
  write_file(folder / trace_file, trace_csv(record.trace));
  write_file(folder / report_file, report_html(record));
  for (const auto& [name, bytes] : record.files) write_file(folder / name, bytes);
  for (const auto& [name, write] : record.large_files) write(folder / name);
  write_file(folder / summary_file, json_text(record.summary));  // last: it marks a whole run
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                                        \
  template Matrix<S> read_factor(const std::filesystem::path&, Index, InputFiles&);          \
  template std::function<double(const Matrix<S>&)> error_against<S>(Matrix<S>);              \
  template std::function<double(const Matrix<S>&)> truth_error<S>(const RunSettings&, Index, \
                                                                  bool*);                    \
  template Answer<S> solve_problem(const Problem<S>&, const RunSettings&);                   \
  template RunRecord make_record(const Problem<S>&, const RunSettings&, Answer<S>, double,   \
                                 const InputFiles&);                                         \
  template RunRecord make_record(Index, Index, const RunSettings&, Answer<S>, double,        \
                                 const InputFiles&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)

}  // namespace projfgd

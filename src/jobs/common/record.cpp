#include "projfgd/jobs/record.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <utility>

#include "jobs/common/make_record.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/result_folder.hpp"
#include "projfgd/jobs/methods.hpp"
#include "projfgd/jobs/report.hpp"

namespace projfgd {
namespace {

constexpr const char *trace_file = "trace.csv", *report_file = "report.html",
                     *summary_file = "summary.json";

}  // namespace

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
  report.sections.back().folded = true;
  return render(report);
}

std::vector<std::string> output_names() {
  return {factor_file, trace_file, report_file, summary_file};
}

void write_outputs(const std::filesystem::path& folder, const RunRecord& record) {
  ResultFolder results(folder, run_results);
  results.add(factor_file, npy_bytes(record.factor));
  results.add(trace_file, trace_csv(record.trace));
  results.add(report_file, report_html(record));
  for (const auto& [name, bytes] : record.files) results.add(name, bytes);
  for (const auto& [name, write] : record.large_files) results.add(name, write);
  results.add(summary_file, json_text(record.summary));
  results.publish();
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                                      \
  template RunRecord make_record(const Problem<S>&, const RunSettings&, Answer<S>, double, \
                                 const InputFiles&);                                       \
  template RunRecord make_record(Index, Index, const RunSettings&, Answer<S>, double,      \
                                 const InputFiles&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)
#undef PROJFGD_INSTANTIATE_SCALAR

}  // namespace projfgd

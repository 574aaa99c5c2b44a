// What every job shares: the settings of a run, the problem a solver gets, the record of what came
// out, and the files it is written to.
//
// To add a job:
//   1. jobs/<name>.hpp: a plain struct with what only this job asks for, and a function
//      RunRecord run_<name>(const <Name>Input&, const RunSettings&).
//   2. In it: start a Stopwatch; read every data file through InputFiles, which hashes them; choose
//      the scalar with with_scalar(); build operator, loss and set into a Problem<S>; call
//      solve_problem() and then make_record(); add what only this job knows to record.summary and
//      record.files (further outputs as bytes; what is too large for that goes to
//      record.large_files), and set record.report to a function that adds its pictures to the
//      report; jobs/report.hpp has the parts.
//   3. src/cli/<name>.cpp: the verb; see src/cli/common_options.hpp.
#pragma once

#include <complex>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/core/any.hpp"
#include "projfgd/core/interrupt.hpp"
#include "projfgd/core/options.hpp"
#include "projfgd/core/result.hpp"
#include "projfgd/core/stopwatch.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/report.hpp"
#include "projfgd/jobs/input_files.hpp"

namespace projfgd {

/// RunSettings::rank of tomography: as many columns as rows.
inline constexpr Index full_rank = std::numeric_limits<Index>::max();

/// The starts that have a name; another RunSettings::init is the path of a file.
namespace start_name {
inline constexpr const char* spectral = "spectral";
inline constexpr const char* random = "random";
}  // namespace start_name

/// Those that every job has.
std::vector<std::string> start_names();

/// What a user may ask of any run. The command line and Python fill it.
struct RunSettings {
  std::string method = "projfgd";  ///< one of method_names(), or one of the job's own
  Options options;                 ///< step rule, limits, tolerances, seed
  Index rank = 0;                  ///< columns of U, >= 1; 0 leaves it to the job; or full_rank
  std::string constraint;          ///< see jobs/constraints.hpp; empty leaves it to the job
  std::string init = start_name::spectral;  ///< one of the job's starts, or an n x r factor's path
  bool single_precision = false;
  int threads = 0;              ///< 0: one per core
  std::filesystem::path truth;  ///< a factor or X itself to compare with; empty: unknown
  MemoryFiles in_memory;        ///< looked at before the disk
  Interrupt interrupt;          ///< ends the run; what a method may be long at looks at it too
  std::function<void(const TraceRow&)> progress;  ///< called after every iteration
  /// True ends the run after this iteration, and that is no interruption; empty: never.
  std::function<bool(const TraceRow&)> enough;
  /// Measures errors of iterates only as often as takes a quarter of the method's own time.
  bool spare_errors = false;
};

/// The options of a method's run, with the interrupt of the settings, which they refer to.
inline Options options_of(const RunSettings& settings) {
  Options options = settings.options;
  options.interrupt = &settings.interrupt;
  return options;
}

/// What came out, ready to be written or shown.
struct RunRecord {  // NOLINT(bugprone-exception-escape): of Json's move constructor
  Status status = Status::diverged;
  Json summary;  ///< summary.json
  std::vector<TraceRow> trace;
  Array factor;                                            ///< n x r
  std::vector<std::pair<std::string, std::string>> files;  ///< a job's own outputs: name, bytes
  /// Outputs that are never whole in memory: name, and what writes the file at a path.
  std::vector<std::pair<std::string, std::function<void(const std::filesystem::path&)>>>
      large_files = {};
  /// Completes report.html with what only the job knows; empty: the answer is shown as a matrix.
  std::function<void(Report&)> report = {};
};

/// minimise loss(A(U U^H)) over U in C with `rank` columns.
template <class S>
struct Problem {
  AnyOperator<S> op;
  AnyLoss<RealOf<S>> loss;
  AnyConstraint<S> set;
  Index rank;
  /// tau for the methods that work on {X >= 0, tr X <= tau}; infinite when there is no such bound.
  double trace_bound = std::numeric_limits<double>::infinity();
  /// Relative error of an iterate; empty when the truth is unknown.
  std::function<double(const Matrix<S>&)> error = {};
  bool only_trace = false;  ///< the set bounds the trace of X, or nothing, and that is all it does
  Matrix<S> start = {};     ///< from the file of RunSettings::init, where that is one
};

template <class S>
struct Answer {
  Result<Matrix<S>> result;  ///< `seconds` and the trace include the time of the start
  OracleCounts counts;
  double smoothness = 0;  ///< of the start, where the method asked for one
};

/// An observer that keeps the trace with its errors, looks at the interrupt flag and reports
/// progress. Solvers take observers by value, so it refers to what it writes to.
template <class S>
class RunObserver {
 public:
  RunObserver(const RunSettings& settings, const std::function<double(const Matrix<S>&)>& error,
              std::vector<TraceRow>& trace)
      : settings_(&settings), error_(&error), trace_(&trace) {}

  bool operator()(const Snapshot<Matrix<S>>& now) {
    TraceRow row = now.row;
    row.seconds = seconds();
    const bool spared =
        settings_->spare_errors && row.iteration > 0 && 4 * *measured_ > row.seconds;
    if (*error_ && !spared) {
      const Stopwatch measuring;
      row.relative_error = (*error_)(now.factor);
      *measured_ += measuring.seconds();
    }
    trace_->push_back(row);
    if (settings_->progress) settings_->progress(row);
    if (is_interrupted(settings_->interrupt)) return false;
    return !settings_->enough || !settings_->enough(row);
  }

  /// What a solver that was stopped here ended with.
  void settle(Result<Matrix<S>>& result) const {
    if (result.status != Status::interrupted || is_interrupted(settings_->interrupt)) return;
    result.status = Status::converged;
    result.message = "near enough to the end";
  }
  /// Of the method alone: what the errors of its iterates cost is nothing it does.
  double seconds() const { return watch_.seconds() - *measured_; }

 private:
  const RunSettings* settings_;
  const std::function<double(const Matrix<S>&)>* error_;
  std::vector<TraceRow>* trace_;
  std::shared_ptr<double> measured_ = std::make_shared<double>(0);  ///< shared by copies
  Stopwatch watch_;
};

/// U -> ||U U^H - V V^H||_F / ||V V^H||_F for a known V.
template <class S>
std::function<double(const Matrix<S>&)> error_against(Matrix<S> truth);

/// The same with V from settings.truth, an n x r factor, or X itself where that is n x n and
/// Hermitian, as *is_matrix then tells; empty when it is not given.
template <class S>
std::function<double(const Matrix<S>&)> truth_error(const RunSettings& settings, Index rows,
                                                    bool* is_matrix);

/// Throws ResourceError when solving a problem of this size would not fit in memory. For jobs to
/// call before they build an operator; solve_problem() calls it in any case.
void require_solver_memory(Index rows, Index measurements, Index rank, bool complex,
                           const RunSettings& settings);

/// Estimates the memory, sets the threads, makes the start and runs settings.method.
template <class S>
Answer<S> solve_problem(const Problem<S>& problem, const RunSettings& settings);

/// The summary with the keys that every job has, the trace and the factor.
template <class S>
RunRecord make_record(const Problem<S>& problem, const RunSettings& settings, Answer<S> answer,
                      double setup_seconds, const InputFiles& inputs);

/// summary.json, trace.csv, factor.npy and report.html: what every run writes.
std::vector<std::string> output_names();

/// Writes summary.json, trace.csv, factor.npy, report.html and the job's own files, each
/// atomically.
void write_outputs(const std::filesystem::path& folder, const RunRecord& record);

/// The bytes of report.html.
std::string report_html(const RunRecord& record);

/// The bytes of trace.csv: iteration, seconds, objective, relative_change, relative_error.
std::string trace_csv(const std::vector<TraceRow>& trace);

/// Calls body.operator()<S>() with the scalar that was asked for.
template <class Body>
auto with_scalar(bool complex, bool single, Body&& body) {
  if (complex && single) return body.template operator()<std::complex<float>>();
  if (complex) return body.template operator()<std::complex<double>>();
  if (single) return body.template operator()<float>();
  return body.template operator()<double>();
}

}  // namespace projfgd

// What every job shares before it has an answer: the settings of a run, the problem a solver gets,
// and the one call that solves it. jobs/record.hpp has what comes out.
//
// To add a job:
//   1. jobs/<name>.hpp: a plain struct with what only this job asks for, and a function
//      RunRecord run_<name>(const <Name>Input&, const RunSettings&).
//   2. src/jobs/<name>/: a file for each step. read: every data file through InputFiles, which
//      hashes them. model: choose the scalar with with_scalar(); operator, loss and set into a
//      Problem<S>. fit: solve_problem(), or a StagedRun where one run is not enough. judge: whether
//      the answer explains the data. report: make_record(); what only this job knows goes to
//      record.summary and record.files (further outputs as bytes; what is too large for that goes
//      to record.large_files), and record.report is a function that adds its pictures to the
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
#include "projfgd/core/ranks.hpp"
#include "projfgd/core/result.hpp"
#include "projfgd/core/stopwatch.hpp"
#include "projfgd/jobs/input_files.hpp"
#include "projfgd/jobs/journal.hpp"

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
  std::vector<std::filesystem::path> outputs = {};  ///< what the caller is going to write
  Interrupt interrupt;  ///< ends the run; what a method may be long at looks at it too
  std::function<void(const TraceRow&)> progress;  ///< called after every iteration
  /// Measures errors of iterates only as often as takes a quarter of the method's own time.
  bool spare_errors = false;
  /// What is done, for a checkpoint; not owned, null: nothing is kept.
  Journal* journal = nullptr;
  /// The processes that share the run; not owned. The interrupt is then one that all agree on.
  const Ranks* ranks = &alone();

  /// For the files of a run.
  InputFiles inputs() const;
};

/// The options of a method's run, with the interrupt of the settings, which they refer to.
inline Options options_of(const RunSettings& settings) {
  Options options = settings.options;
  options.interrupt = &settings.interrupt;
  options.agree = settings.ranks->agreement();
  if (settings.journal != nullptr) options.keeper = settings.journal->observer();
  return options;
}

template <class S>
class PlacedProblem;

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
  /// The same operator and loss, and perhaps the set, where solvers run on them elsewhere. It
  /// counts only for these: a copy with other parts is solved here.
  std::shared_ptr<const PlacedProblem<S>> placed = {};

  /// Null where it is solved here. Of those who include jobs/place.hpp.
  const PlacedProblem<S>* elsewhere() const {
    return placed != nullptr && placed->is_of(*this) ? placed.get() : nullptr;
  }
};

template <class S>
struct Answer {
  Result<Matrix<S>> result;  ///< `seconds` and the trace include the time of the start
  OracleCounts counts;
};

/// An observer that keeps the trace with its errors, looks at the interrupt flag and reports
/// progress. Solvers take observers by value, so it refers to what it writes to.
template <class S, class F = Matrix<S>>
class RunObserver {
 public:
  RunObserver(const RunSettings& settings, const std::function<double(const F&)>& error,
              std::vector<TraceRow>& trace)
      : settings_(&settings), error_(&error), trace_(&trace) {}

  bool operator()(const Snapshot<F>& now) {
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
    return !Journal::asks(settings_->journal, settings_->interrupt);
  }

  /// Of the method alone: what the errors of its iterates cost is nothing it does.
  double seconds() const { return *before_ + watch_.seconds() - *measured_; }

  /// The trace and the clock.
  void keep(Archive& archive) {
    double now = seconds();
    archive(*trace_, now);
    if (archive.reads()) *before_ += now - seconds();
  }

 private:
  const RunSettings* settings_;
  const std::function<double(const F&)>* error_;
  std::vector<TraceRow>* trace_;
  std::shared_ptr<double> measured_ = std::make_shared<double>(0);  ///< shared by copies
  std::shared_ptr<double> before_ = std::make_shared<double>(0);  ///< seconds of an earlier process
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

/// Estimates the memory, sets the threads, makes the start and runs settings.method once. Jobs that
/// run it several times do so with a StagedRun (src/jobs/common/staged_run.hpp).
template <class S>
Answer<S> solve_problem(const Problem<S>& problem, const RunSettings& settings);

/// Calls body.operator()<S>() with the scalar that was asked for.
template <class Body>
auto with_scalar(bool complex, bool single, Body&& body) {
  if (complex && single) return body.template operator()<std::complex<float>>();
  if (complex) return body.template operator()<std::complex<double>>();
  if (single) return body.template operator()<float>();
  return body.template operator()<double>();
}

}  // namespace projfgd

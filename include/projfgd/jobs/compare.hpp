// Several methods on the same data: the same problem, the same start, the same tolerance.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "projfgd/jobs/phase.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/jobs/tomography.hpp"

namespace projfgd {

struct ComparedRun;
using MethodDone = std::function<void(const ComparedRun&)>;

struct CompareInput {
  std::vector<std::string> methods;  ///< empty: default_methods()
  std::vector<std::filesystem::path> data;
  TomographyInput tomography;  ///< how to read Pauli expectations or counts; its data are above
  PhaseInput phase;            ///< how to read intensities
  std::string loss = "auto";   ///< of whichever job it is
  MethodDone done = {};        ///< called after every method
};

/// The result of one method.
struct ComparedRun {
  std::string method;
  Status status = Status::diverged;
  /// method, status, relative_error, objective, seconds, iterations, forward_calls, adjoint_calls,
  /// eigenvector_calls, rank, gap ("certified" says whether it is more than an estimate); of an
  /// answer whose trace is above the bound "outside_set" and no gap
  Json row;
  std::vector<TraceRow> trace;  ///< the error of its last row is that of the answer
  std::vector<std::string> warnings = {};

  void keep(Archive& archive) { archive(method, status, row, trace, warnings); }
};

struct Comparison {
  Json summary;  ///< compare.json; a row for each of "methods_asked" is in "methods"
  std::vector<ComparedRun> runs;
  bool whole = true;  ///< every method ran
};

/// Whether the data are intensities: a folder, an HDF5 or CXI file, a single NPY file, or any data
/// with masks or vectors; not if a layout of counts was named.
bool is_phase_data(const CompareInput& input);

/// The methods compared when none are named.
std::vector<std::string> default_methods(bool phase);

/// Seconds a method may take where settings.options.time_limit is infinite: methods that solve the
/// convex problem may need hours for what others do in seconds.
constexpr double compare_time_limit = 60;

/// Compares on the same data, which are read once. settings.method is ignored; a rank of 0 means 1,
/// and states without a set have tr X <= 1. With the loss "auto", all methods use least squares if
/// one of them supports nothing else.
Comparison run_comparison(const CompareInput& input, const RunSettings& settings);

/// How the methods on states stop, in a sentence.
std::string stopping_rule();

/// One line a method.
Table comparison_table(const Json& rows);

/// The trace of every run.
std::vector<NamedTrace> named_traces(const std::vector<ComparedRun>& runs);

/// The whole page: the table, and all curves against iterations and time.
std::string comparison_html(const Comparison& comparison);

/// compare.json, compare.csv, report.html and trace-METHOD.csv for every method.
std::vector<std::string> comparison_files(const CompareInput& input);

/// Writes these files.
void write_comparison(const std::filesystem::path& folder, const Comparison& comparison);

}  // namespace projfgd

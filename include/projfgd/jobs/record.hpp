// The result of a run, and the files it is written to.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/io/json.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/report.hpp"
#include "projfgd/jobs/run.hpp"

namespace projfgd {

/// The result of a run, ready to be written or shown.
struct RunRecord {  // NOLINT(bugprone-exception-escape): of Json's move constructor
  Status status = Status::diverged;
  Json summary;  ///< summary.json
  std::vector<TraceRow> trace;
  Array factor;                                            ///< n x r
  std::vector<std::pair<std::string, std::string>> files;  ///< a job's own outputs: name, bytes
  std::vector<std::pair<std::string, Array>> arrays =
      {};  ///< what was found besides: name, numbers
  /// Outputs that are never whole in memory: name, and what writes the file at a path.
  std::vector<std::pair<std::string, std::function<void(const std::filesystem::path&)>>>
      large_files = {};
  /// Completes report.html with what only the job knows; empty: the answer is shown as a matrix.
  std::function<void(Report&)> report = {};
};

/// The summary with the keys that every job has, the trace and the factor.
template <class S>
RunRecord make_record(const Problem<S>& problem, const RunSettings& settings, Answer<S> answer,
                      double setup_seconds, const InputFiles& inputs);

inline constexpr const char* factor_file = "factor.npy";

/// The files that every run writes: summary.json, trace.csv, factor.npy and report.html.
std::vector<std::string> output_names();

/// Writes summary.json, trace.csv, factor.npy, report.html and the job's own files, all of them or
/// none.
void write_outputs(const std::filesystem::path& folder, const RunRecord& record);

/// The bytes of report.html.
std::string report_html(const RunRecord& record);

/// The bytes of trace.csv: iteration, seconds, objective, relative_change, relative_error.
std::string trace_csv(const std::vector<TraceRow>& trace);

}  // namespace projfgd

#include "projfgd/jobs/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "jobs/common/make_record.hpp"
#include "jobs/compare/rows.hpp"
#include "jobs/tomography/read.hpp"
#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/result_folder.hpp"
#include "projfgd/io/table.hpp"
#include "projfgd/jobs/methods.hpp"

namespace projfgd {
namespace {

constexpr const char *table_file = "compare.csv", *report_file = "report.html",
                     *summary_file = "compare.json";
std::string trace_file(const std::string& method) { return "trace-" + method + ".csv"; }

std::vector<std::string> methods_of(const CompareInput& input, bool phase) {
  return input.methods.empty() ? default_methods(phase) : input.methods;
}

/// Before any file is read.
void require_methods(const std::vector<std::string>& methods,
                     const std::vector<std::string>& known) {
  for (auto it = methods.begin(); it != methods.end(); ++it) {
    if (std::find(known.begin(), known.end(), *it) == known.end()) {
      throw InputError(unknown_name("--methods", *it, known));
    }
    if (std::find(methods.begin(), it, *it) != it) {
      throw InputError(fmt::format("--methods: found \"{}\" twice, expected it once", *it));
    }
  }
}

/// The input with its methods and its data where the job looks for them.
CompareInput completed(CompareInput input, bool phase) {
  input.methods = methods_of(input, phase);
  require_methods(input.methods, phase ? phase_method_names() : method_names());
  if (!phase) {
    input.tomography.data = input.data;
    return input;
  }
  for (const std::filesystem::path& path : input.data) {
    if (!std::filesystem::exists(path / factor_file)) continue;
    throw InputError(fmt::format(
        "{}: found the results of a run, expected measurements; to compare two states, give one of "
        "them as --target of projfgd tomography",
        path.string()));
  }
  if (input.data.size() != 1) {
    throw InputError(fmt::format("data: found {} files or folders of intensities, expected one",
                                 input.data.size()));
  }
  input.phase.data = input.data.front();
  input.phase.loss = input.loss;
  return input;
}

/// That some methods did not run.
std::string interrupted_line(const Comparison& comparison,
                             const std::vector<std::string>& methods) {
  const std::vector<std::string> missing(
      methods.begin() + static_cast<std::ptrdiff_t>(comparison.runs.size()), methods.end());
  return fmt::format("interrupted: {} did not run", fmt::join(missing, ", "));
}

}  // namespace

bool is_phase_data(const CompareInput& input) {
  if (!input.phase.masks.empty() || !input.phase.vectors.empty()) return true;
  if (input.tomography.format.format != MeasurementFormat().format) return false;
  return std::ranges::any_of(input.data, [&](const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    const bool alone = input.data.size() == 1;  // two are the bits and recipes of shadows
    const bool folder = std::filesystem::is_directory(path) && !has_measurements(path);
    return folder || (alone && ending == ".npy") || ending == ".h5" || ending == ".hdf5" ||
           ending == ".cxi";
  });
}

std::vector<std::string> default_methods(bool phase) {
  if (phase) return {"projfgd", "wirtinger-flow", "gerchberg-saxton", "hio"};
  return {"projfgd", "rsvp", "sparse-approx-sdp", "acc-uni-pd-grad"};
}

Comparison run_comparison(const CompareInput& asked, const RunSettings& asked_settings) {
  validate(asked_settings.options);
  RunSettings settings = asked_settings;
  set_threads(settings.threads);  // also where every method is answered by a checkpoint
  double& limit = settings.options.time_limit;
  if (!std::isfinite(limit)) limit = compare_time_limit;
  const bool phase = is_phase_data(asked);
  const CompareInput input = completed(asked, phase);
  Comparison out = phase ? compare_images(input, settings) : compare_states(input, settings);
  out.whole = out.runs.size() == input.methods.size();
  Json& summary = out.summary;
  summary["precision"] = settings.single_precision ? "single" : "double";
  summary["version"] = version();
  summary["threads"] = threads();
  if (!out.whole) add_warnings({interrupted_line(out, input.methods)}, summary);
  for (Json& line : warnings_of(out.runs)) summary["warnings"].push_back(std::move(line));
  summary["methods_asked"] = input.methods;
  summary["methods"] = rows_of(out.runs, input.methods);
  return out;
}

std::vector<std::string> comparison_files(const CompareInput& input) {
  std::vector<std::string> files = {table_file, report_file, summary_file};
  for (const std::string& method : methods_of(input, is_phase_data(input))) {
    files.push_back(trace_file(method));
  }
  return files;
}

void write_comparison(const std::filesystem::path& folder, const Comparison& comparison) {
  ResultFolder results(folder, run_results);
  for (const ComparedRun& run : comparison.runs) {
    results.add(trace_file(run.method), trace_csv(run.trace));
  }
  results.add(table_file, rows_csv(comparison.summary.at("methods")));
  results.add(report_file, comparison_html(comparison));
  results.add(summary_file, json_text(comparison.summary));
  results.publish();
}

}  // namespace projfgd

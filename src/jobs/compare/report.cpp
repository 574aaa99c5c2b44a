#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "projfgd/jobs/compare.hpp"
#include "projfgd/solvers/compared.hpp"

namespace projfgd {
namespace {

/// Who was best, in a sentence. What is outside the set solved another problem, and what diverged
/// none.
std::string verdict(const Json& rows, const char* key, const char* what) {
  const Json* best = nullptr;
  for (const Json& row : rows) {
    const auto value = row.find(key);
    if (value == row.end() || !value->is_number() || row.contains("outside_set")) continue;
    if (row.value("status", "") == to_string(Status::diverged)) continue;
    if (best == nullptr || value->get<double>() < best->at(key).get<double>()) best = &row;
  }
  if (best == nullptr) return {};
  return fmt::format("{}: {} ({}). ", what, best->at("method").get<std::string>(),
                     format_number(best->at(key).get<double>()));
}

}  // namespace

std::vector<NamedTrace> named_traces(const std::vector<ComparedRun>& runs) {
  std::vector<NamedTrace> traces;
  traces.reserve(runs.size());
  for (const ComparedRun& run : runs) traces.push_back({run.method, run.trace});
  return traces;
}

std::string stopping_rule() {
  return fmt::format(
      "Every method stops when the relative change of X falls below the tolerance; methods that "
      "alternate long and short steps use the longest of their last {} (svp, rsvp), {} "
      "(sparse-approx-sdp) or {} steps (acc-uni-pd-grad, uni-pd-grad).",
      StopWindow::svp, StopWindow::sparse_approx_sdp, StopWindow::uni_pd_grad);
}

std::string comparison_html(const Comparison& comparison) {
  const Json& rows = comparison.summary.at("methods");
  Report report = start_report(
      "Methods compared",
      "The same data, the same tolerance, and the same start where a method takes one.",
      comparison.summary);
  const bool all = comparison.whole &&
                   std::all_of(comparison.runs.begin(), comparison.runs.end(),
                               [](const ComparedRun& r) { return r.status == Status::converged; });
  // Methods for images have losses of their own.
  const bool images = comparison.summary.value("job", "") == "phase";
  report.verdict = all ? Verdict::good : Verdict::caution;
  report.verdict_text = verdict(rows, "relative_error", "Smallest error") +
                        (images ? verdict(rows, "misfit", "Smallest misfit")
                                : verdict(rows, "objective", "Smallest objective")) +
                        verdict(rows, "seconds", "First to stop, in seconds");
  report.facts.clear();
  if (const Index rank = comparison.summary.value("rank", Index{0}); rank > 0) {
    report.provenance.push_back({"Rank", fmt::format("{}", rank), "of methods that keep it"});
  }
  Section results{.title = "Results", .columns = Columns::one};
  results.text =
      images ? "Each objective belongs to the loss in its row, so objectives of different losses "
               "cannot be compared; the misfit is the part of the amplitudes left unexplained."
             : "Forward and adjoint count products with the measurement operator, and eigenvectors "
               "counts eigenvector computations. The gap bounds how far the objective is above the "
               "minimum of the convex problem; it is certified where the eigenvalue it relies on "
               "was computed exactly. ";
  if (!images) results.text += stopping_rule();
  results.blocks.emplace_back(comparison_table(rows));
  report.sections.push_back(std::move(results));
  report.sections.push_back(
      convergence_section(named_traces(comparison.runs), sought_in(comparison.summary)));
  return render(report);
}

}  // namespace projfgd

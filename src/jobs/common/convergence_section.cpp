// How a run, or several, came to their answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "projfgd/io/charts.hpp"
#include "projfgd/jobs/report.hpp"

namespace projfgd {
namespace {

using nlohmann::ordered_json;
using Column = double TraceRow::*;

/// The rows in which the column was measured: a slow method may measure its error now and then
/// only, and its curve joins these. At most so many, the last one always; browsers draw no more
/// with profit.
std::vector<TraceRow> measured_rows(const std::vector<TraceRow>& trace, Column column) {
  constexpr std::size_t most = 1500;
  std::vector<TraceRow> all, some;
  std::ranges::copy_if(trace, std::back_inserter(all),
                       [&](const TraceRow& row) { return std::isfinite(row.*column); });
  if (all.size() <= most) return all;
  for (std::size_t k = 0; k < most; ++k) some.push_back(all[k * (all.size() - 1) / (most - 1)]);
  return some;
}

/// True when a log axis has something to show.
bool any_positive(const std::vector<NamedTrace>& runs, Column column, double floor) {
  return std::any_of(runs.begin(), runs.end(), [&](const NamedTrace& run) {
    return std::any_of(run.trace.begin(), run.trace.end(), [&](const TraceRow& row) {
      return std::isfinite(row.*column) && row.*column > floor;
    });
  });
}

/// True when one run is so much longer than another that a plain axis would hide the shorter.
bool lengths_differ(const std::vector<NamedTrace>& runs) {
  const auto [shortest, longest] = std::minmax_element(
      runs.begin(), runs.end(),
      [](const NamedTrace& a, const NamedTrace& b) { return a.trace.size() < b.trace.size(); });
  return longest->trace.size() > 10 * shortest->trace.size();
}

/// The least of all objectives when a log axis would show them as one flat line, else 0.
double objective_floor(const std::vector<NamedTrace>& runs) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const NamedTrace& run : runs) {
    for (const TraceRow& row : run.trace) {
      if (!std::isfinite(row.objective)) continue;
      low = std::min(low, row.objective);
      high = std::max(high, row.objective);
    }
  }
  return low > high || (low > 0 && high > 10 * low) ? 0 : low;
}

Chart curves(const std::string& title, const std::string& axis, Column column, double floor,
             const std::vector<NamedTrace>& runs, bool against_time) {
  std::vector<charts::Line> lines;
  for (const NamedTrace& run : runs) {
    charts::Line line{.name = run.name};
    for (const TraceRow& row : measured_rows(run.trace, column)) {
      const double value = row.*column - floor;
      line.x.push_back(against_time ? row.seconds : static_cast<double>(row.iteration));
      line.y.push_back(value > 0 ? value : std::numeric_limits<double>::quiet_NaN());
    }
    lines.push_back(std::move(line));
  }
  const charts::Axis x = {against_time ? "Time (s)" : "Iteration",
                          against_time ? runs.size() > 1 : lengths_differ(runs)};
  return charts::lines(title + (against_time ? " against time" : " against iterations"), lines, x,
                       {axis, true});
}

}  // namespace

std::vector<NamedTrace> cut_by_stage(const ordered_json& summary,
                                     const std::vector<TraceRow>& trace) {
  const ordered_json stages = summary.value("stages", ordered_json::array());
  std::vector<NamedTrace> cut;
  for (const ordered_json& stage : stages) {
    cut.push_back({fmt::format("{} loss", stage.at("loss").get<std::string>()), {}});
  }
  if (cut.empty()) return {{summary.value("method", ""), trace}};
  for (const TraceRow& row : trace) {
    std::size_t k = 0;
    while (k + 1 < cut.size() && row.iteration >= stages[k + 1].at("iteration").get<Index>()) ++k;
    cut[k].trace.push_back(row);
  }
  return cut;
}

Section convergence_section(const std::vector<NamedTrace>& runs, const std::string& sought) {
  Section section{.title = "Convergence", .columns = Columns::three};
  const double floor = objective_floor(runs);
  struct Quantity {
    const char* title;
    std::string axis;
    Column column;
    double floor;
  };
  const Quantity quantities[] = {
      {"Objective", floor == 0 ? "Objective" : "Objective minus its minimum", &TraceRow::objective,
       floor},
      {"Change", "Relative change of " + sought, &TraceRow::relative_change, 0},
      {"Error", "Relative error of " + sought, &TraceRow::relative_error, 0},
  };
  int shown = 0;
  for (const bool against_time : {false, true}) {
    for (const Quantity& quantity : quantities) {
      if (!any_positive(runs, quantity.column, quantity.floor)) continue;
      shown += against_time;
      section.blocks.emplace_back(curves(quantity.title, quantity.axis, quantity.column,
                                         quantity.floor, runs, against_time));
    }
  }
  if (runs.size() > 1) {
    for (const NamedTrace& run : runs) section.legend.push_back(run.name);
  }
  if (shown < 3) section.columns = Columns::two;
  if (section.blocks.empty()) {
    section.text = "Nothing to draw: the run ended at its first point.";
    return section;
  }
  section.text =
      "All vertical axes are logarithmic: a straight line means the same factor at every step.";
  return section;
}

}  // namespace projfgd

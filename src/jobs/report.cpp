#include "projfgd/jobs/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "projfgd/io/charts.hpp"

namespace projfgd {
namespace {

using nlohmann::ordered_json;

enum class Format { number, seconds, text };

/// A key of summary.json in words.
struct Known {
  const char* key;
  const char* label;
  const char* note;
  Format format = Format::number;
};

constexpr Known answers[] = {
    {"fidelity", "Fidelity", "overlap with the target state; 1 is the same state"},
    {"relative_error", "Relative error", "distance from the truth over the size of the truth"},
    {"psnr", "PSNR", "peak signal to noise against the truth, in dB"},
    {"purity", "Purity", "tr ρ²: 1 for a pure state"},
    {"entropy", "Entropy", "von Neumann, in bits: 0 for a pure state"},
    {"trace_distance", "Trace distance", "from the target state; 0 is the same state"},
    {"trace", "Trace", "tr X of the answer"},
    {"chi_square_per_datum", "Chi-square per datum", "about 1 when noise explains all misfit"},
    {"rank", "Rank", "columns of the factor"},
    {"dimension", "Dimension", "rows of the factor"},
    {"measurements", "Measurements", "numbers that were fitted"},
    {"objective", "Objective", "misfit of data and answer"},
    {"iterations", "Iterations", ""},
    {"seconds", "Time", "solving, without reading files", Format::seconds},
};

constexpr Known provenances[] = {
    {"command", "Command", "", Format::text},
    {"input", "Input", "", Format::text},
    {"method", "Method", "", Format::text},
    {"constraint", "Constraint", "", Format::text},
    {"loss", "Loss", "", Format::text},
    {"step", "Step rule", "", Format::text},
    {"setup_seconds", "Time to read and prepare", "", Format::seconds},
    {"forward_calls", "Forward products", "evaluations of A(X)"},
    {"adjoint_calls", "Adjoint products", "evaluations of A*(w) V"},
    {"threads", "Threads", ""},
    {"precision", "Precision", "", Format::text},
    {"seed", "Seed", "of whatever was random", Format::text},
    {"version", "Version of projfgd", "", Format::text},
    {"input_sha256", "SHA-256 of the input", "", Format::text},
};

std::string in_words(const ordered_json& value, Format format) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number() || format == Format::text) return value.dump();
  const double number = value.get<double>();
  return format == Format::seconds ? format_seconds(number) : format_number(number);
}

std::vector<Fact> facts_of(const ordered_json& summary, const auto& known) {
  std::vector<Fact> facts;
  for (const Known& entry : known) {
    const auto found = summary.find(entry.key);
    if (found == summary.end() || found->is_null()) continue;
    facts.push_back({entry.label, in_words(*found, entry.format), entry.note});
  }
  return facts;
}

/// At most this many points of a curve, the last one always; browsers draw no more with profit.
std::vector<TraceRow> thinned(const std::vector<TraceRow>& trace) {
  constexpr std::size_t most = 1500;
  if (trace.size() <= most) return trace;
  std::vector<TraceRow> rows;
  for (std::size_t k = 0; k < most; ++k) rows.push_back(trace[k * (trace.size() - 1) / (most - 1)]);
  return rows;
}

using Column = double TraceRow::*;

bool any_finite(const std::vector<NamedTrace>& runs, Column column) {
  return std::any_of(runs.begin(), runs.end(), [&](const NamedTrace& run) {
    return std::any_of(run.trace.begin(), run.trace.end(),
                       [&](const TraceRow& row) { return std::isfinite(row.*column); });
  });
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
    for (const TraceRow& row : thinned(run.trace)) {
      const double value = row.*column - floor;
      line.x.push_back(against_time ? row.seconds : static_cast<double>(row.iteration));
      line.y.push_back(value > 0 ? value : std::numeric_limits<double>::quiet_NaN());
    }
    lines.push_back(std::move(line));
  }
  const charts::Axis x = {against_time ? "Time (s)" : "Iteration", against_time && runs.size() > 1};
  return charts::lines(title + (against_time ? " against time" : " against iterations"), lines, x,
                       {axis, true});
}

}  // namespace

std::vector<Fact> answer_facts(const ordered_json& summary) { return facts_of(summary, answers); }

std::vector<Fact> provenance_facts(const ordered_json& summary) {
  return facts_of(summary, provenances);
}

Report start_report(std::string title, std::string subtitle, const ordered_json& summary) {
  Report report{.title = std::move(title), .subtitle = std::move(subtitle)};
  const std::string status = summary.value("status", "");
  const std::string effort =
      fmt::format("{} iterations, {}", format_number(summary.value("iterations", 0.0)),
                  format_seconds(summary.value("seconds", std::nan(""))));
  if (status == to_string(Status::converged)) {
    report.verdict_text = fmt::format("The method converged ({}).", effort);
  } else if (status == to_string(Status::diverged)) {
    report.verdict = Verdict::bad;
    report.verdict_text =
        fmt::format("The method failed: the numbers grew without bound ({}).", effort);
  } else {
    report.verdict = Verdict::caution;
    const char* reason = status == to_string(Status::time_limit)    ? "the time limit"
                         : status == to_string(Status::interrupted) ? "an interruption"
                                                                    : "the iteration limit";
    report.verdict_text = fmt::format(
        "Stopped by {} before it converged ({}). What is shown is the best found so far.", reason,
        effort);
  }
  report.facts = answer_facts(summary);
  report.provenance = provenance_facts(summary);
  return report;
}

Section convergence_section(const std::vector<NamedTrace>& runs) {
  Section section{.title = "How it converged", .columns = Columns::three};
  const double floor = objective_floor(runs);
  struct Quantity {
    const char* title;
    const char* axis;
    Column column;
    double floor;
  };
  const Quantity quantities[] = {
      {"Objective", floor == 0 ? "Objective" : "Objective above its least", &TraceRow::objective,
       floor},
      {"Change", "Relative change of X", &TraceRow::relative_change, 0},
      {"Error", "Relative error of X", &TraceRow::relative_error, 0},
  };
  int shown = 0;
  for (const bool against_time : {false, true}) {
    for (const Quantity& quantity : quantities) {
      if (!any_finite(runs, quantity.column)) continue;
      shown += against_time;
      section.blocks.emplace_back(curves(quantity.title, quantity.axis, quantity.column,
                                         quantity.floor, runs, against_time));
    }
  }
  if (runs.size() > 1) {
    for (const NamedTrace& run : runs) section.legend.push_back(run.name);
  }
  if (shown < 3) section.columns = Columns::two;
  section.text =
      "All vertical axes are logarithmic: a straight line falls by the same factor "
      "at every step.";
  return section;
}

}  // namespace projfgd

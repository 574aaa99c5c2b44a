#include "projfgd/jobs/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "projfgd/io/charts.hpp"

namespace projfgd {
namespace {

using nlohmann::ordered_json;

enum class Format { number, near_one, seconds, decibel, text };

/// What is sought: a matrix X, or an image or signal z, which is its only column.
enum class Job { any, matrix, image };

Job job_of(const ordered_json& summary) {
  return summary.contains("patterns") ? Job::image : Job::matrix;
}

/// A key of summary.json in words.
struct Known {
  const char* key;
  const char* label;
  const char* note;
  Format format = Format::number;
  Job job = Job::any;
};

constexpr Known answers[] = {
    {"fidelity", "Fidelity", "overlap with {}; 1 is the same state", Format::near_one},
    {"psnr", "PSNR", "peak signal to noise against the truth", Format::decibel},
    {"relative_error", "Relative error", "distance from the truth over the size of the truth"},
    {"purity", "Purity", "tr ρ²: 1 for a pure state", Format::near_one},
    {"entropy", "Entropy", "von Neumann, in bits: 0 for a pure state"},
    {"trace_distance", "Trace distance", "from {}; 0 is the same state"},
    {"trace", "Trace", "tr X of the answer", Format::near_one, Job::matrix},
    {"rank", "Rank", "the largest that X may have", Format::number, Job::matrix},
    {"objective", "Objective", "misfit of data and answer", Format::number, Job::matrix},
    {"objective", "Objective", "the loss of the image z at the end", Format::number, Job::image},
    {"misfit", "Misfit", "‖|A z| − √y‖ over ‖√y‖: the part of the amplitudes left unexplained"},
    {"radius", "Radius", "of the l1 ball, found from the data"},
    {"relative_misfit", "Relative misfit", "‖A(X) − y‖ over ‖y‖; 0 when all data are met"},
    {"measurements", "Measurements", "data points"},
    {"transforms", "Transforms", "Fourier transforms, those of the start included"},
};

constexpr Known efforts[] = {
    {"iterations", "Iterations", ""},
    {"attempts", "Attempts", "by other ways or from other starts"},
    {"seconds", "Time", "solving, without reading files", Format::seconds},
};

constexpr Known provenances[] = {
    {"command", "Command", "", Format::text},
    {"input", "Input", "", Format::text},
    {"method", "Method", "", Format::text},
    {"methods_asked", "Methods", "", Format::text},
    {"constraint", "Constraint", "", Format::text},
    {"support", "Support", "", Format::text},
    {"loss", "Loss", "", Format::text},
    {"tolerance", "Tolerance", "on the relative change of X", Format::number, Job::matrix},
    {"tolerance", "Tolerance", "on the relative change of z", Format::number, Job::image},
    {"max_iterations", "Iterations allowed", ""},
    {"time_limit", "Time allowed", "of each method", Format::seconds},
    {"target", "Compared with", "", Format::text},
    {"settings", "Settings", "measurement bases"},
    {"shots", "Shots", "repetitions over all settings"},
    {"dimension", "Dimension", "rows of the factor"},
    {"setup_seconds", "Time to read and prepare", "", Format::seconds},
    {"forward_calls", "Forward products", "evaluations of A(X)"},
    {"adjoint_calls", "Adjoint products", "evaluations of A*(w) V"},
    {"threads", "Threads", ""},
    {"precision", "Precision", "", Format::text},
    {"seed", "Random seed", "", Format::text},
    {"version", "Version of projfgd", "", Format::text},
    {"input_sha256", "SHA-256 of the input", "", Format::text},
};

std::string in_words(const ordered_json& value, Format format) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    std::string list;
    for (const ordered_json& item : value) {
      list += (list.empty() ? "" : ", ") + in_words(item, format);
    }
    return list;
  }
  if (!value.is_number() || format == Format::text) return value.dump();
  const double number = value.get<double>();
  if (format == Format::seconds) return format_seconds(number);
  if (format == Format::decibel) return format_number(number) + " dB";
  // What is almost 1 is told by how much it is not, as long as rounding leaves that visible.
  const double rest = 1 - number;
  if (format == Format::near_one && std::abs(rest) < 1e-3) {
    if (std::abs(rest) < 1e-14) return "1";
    return fmt::format("1 {} {}", rest > 0 ? "−" : "+", format_number(std::abs(rest), 2));
  }
  return format_number(number);
}

/// " (95%: 0.900 to 0.913)" where the summary has an interval of this key.
std::string interval_in_words(const ordered_json& summary, const char* key) {
  const auto intervals = summary.find("intervals");
  if (intervals == summary.end() || !intervals->contains(key)) return "";
  const ordered_json& pair = intervals->at(key);
  return fmt::format(" ({:.0f}%: {} to {})", 100 * intervals->value("level", 0.0),
                     format_number(pair[0].get<double>()), format_number(pair[1].get<double>()));
}

std::vector<Fact> facts_of(const ordered_json& summary, const auto& known) {
  std::vector<Fact> facts;
  for (const Known& entry : known) {
    const auto found = summary.find(entry.key);
    if (found == summary.end() || found->empty()) continue;
    if (entry.job != Job::any && entry.job != job_of(summary)) continue;
    facts.push_back({entry.label,
                     in_words(*found, entry.format) + interval_in_words(summary, entry.key),
                     fmt::format(fmt::runtime(entry.note), summary.value("target", "the target"))});
  }
  return facts;
}

/// Chi-square over its degrees of freedom; not a number when they are not known.
double chi_square_each(const ordered_json& summary) {
  const double freedom = summary.value("degrees_of_freedom", 0.0);
  return freedom > 0 ? summary.value("chi_square", std::nan("")) / freedom : std::nan("");
}

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

/// What a user listed: one fact for each, as many as fit; the summary has them all.
void add_asked(const ordered_json& summary, const char* key, const char* name, const char* note,
               std::vector<Fact>& facts) {
  constexpr std::size_t most = 20;
  std::size_t count = 0;
  const ordered_json asked = summary.value(key, ordered_json::object());
  for (const auto& [label, value] : asked.items()) {
    if (++count > most) break;
    facts.push_back(
        {fmt::format(fmt::runtime(name), label), format_number(value.get<double>(), 4), note});
  }
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

std::vector<Fact> answer_facts(const ordered_json& summary) {
  std::vector<Fact> facts = facts_of(summary, answers);
  if (const double each = chi_square_each(summary); std::isfinite(each)) {
    constexpr std::size_t place = 3;
    facts.insert(facts.begin() + static_cast<std::ptrdiff_t>(std::min(place, facts.size())),
                 {"Chi-square", format_number(each),
                  summary.value("less_scatter_than_noise", false)
                      ? "per degree of freedom, less than noise leaves: smoothed, normalised or "
                        "made without noise?"
                  : summary.value("loss", "") == "least-squares"
                      ? "per degree of freedom; least squares does not make it small, and the "
                        "residual decides whether the state fits"
                      : "per degree of freedom; about 1 when noise alone explains the misfit"});
  }
  if (summary.value("degrees_of_freedom", 1.0) == 0 && summary.contains("chi_square")) {
    facts.push_back({"Chi-square", in_words(summary["chi_square"], Format::number),
                     "no degree of freedom is left: the state has as many parameters as numbers "
                     "were measured"});
  }
  add_asked(summary, "expectations", "Expectation of {}", "tr(P ρ)", facts);
  add_asked(summary, "reduced_purity", "Purity of qubits {}", "of the state of these alone", facts);
  return facts;
}

Report start_report(std::string title, std::string subtitle, const ordered_json& summary) {
  Report report{.title = std::move(title), .subtitle = std::move(subtitle)};
  const std::string status = summary.value("status", "");
  const std::string effort =
      fmt::format("{}, {}", format_count(summary.value("iterations", Index{0}), "iteration"),
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
                         : status == to_string(Status::stalled)     ? "steps that do not get on"
                                                                    : "the iteration limit";
    report.verdict_text = fmt::format(
        "Stopped by {} before it converged ({}). What is shown is the best found so far.", reason,
        effort);
  }
  const bool fits = summary.value("fits_data", true);
  if (std::isfinite(chi_square_each(summary))) {
    report.verdict_text += fits ? " Noise alone explains the misfit that is left."
                                : " The misfit that is left is more than noise explains.";
  } else if (!fits) {
    report.verdict_text += " The answer leaves too much of the data unexplained.";
  }
  if (const std::string noise = summary.value("noise", ""); !noise.empty()) {
    report.verdict_text += fmt::format(" {}.", noise);
  }
  if (!fits && report.verdict == Verdict::good) report.verdict = Verdict::caution;
  if (const auto warnings = summary.find("warnings"); warnings != summary.end()) {
    report.remarks = warnings->get<std::vector<std::string>>();
    if (report.verdict == Verdict::good) report.verdict = Verdict::caution;
  }
  report.facts = answer_facts(summary);
  std::ranges::copy(facts_of(summary, efforts), std::back_inserter(report.facts));
  report.provenance = facts_of(summary, provenances);
  return report;
}

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

Index selection_step(Index size) { return size <= 4000 ? 1 : (size / 4000) | 1; }

std::string sought_in(const ordered_json& summary) {
  return job_of(summary) == Job::image ? "z" : "X";
}

Section convergence_section(const std::vector<NamedTrace>& runs, const std::string& sought) {
  Section section{.title = "How it converged", .columns = Columns::three};
  const double floor = objective_floor(runs);
  struct Quantity {
    const char* title;
    std::string axis;
    Column column;
    double floor;
  };
  const Quantity quantities[] = {
      {"Objective", floor == 0 ? "Objective" : "Objective above its least", &TraceRow::objective,
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
    section.text = "There is nothing to draw: the first point was the last.";
    return section;
  }
  section.text =
      "All vertical axes are logarithmic: a straight line falls by the same factor "
      "at every step.";
  return section;
}

}  // namespace projfgd

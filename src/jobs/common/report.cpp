#include "projfgd/jobs/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "jobs/common/number_words.hpp"
#include "projfgd/io/charts.hpp"

namespace projfgd {
namespace {

using nlohmann::ordered_json;

/// False where the run says so; a verdict that was not given is null.
bool holds(const ordered_json& summary, const char* verdict) {
  const auto found = summary.find(verdict);
  return found == summary.end() || *found != false;
}

/// A number that was not computed, as the misfit of an interrupted run.
bool is_unknown(const ordered_json& value) {
  return value.is_number_float() && !std::isfinite(value.get<double>());
}

/// What is sought: a matrix X, a state, or an image or signal z, which is its only column. A bit
/// for each.
enum Job : unsigned { of_matrix = 1, of_state = 2, of_image = 4, of_any = 7 };

Job job_of(const ordered_json& summary) {
  if (summary.contains("patterns") || summary.contains("frames")) return of_image;
  return summary.contains("purity") || summary.contains("fidelity") ? of_state : of_matrix;
}

/// A key of summary.json in words.
struct Known {
  const char* key;
  const char* label;
  const char* note;
  NumberFormat format = NumberFormat::number;
  unsigned jobs = of_any;
};

constexpr Known answers[] = {
    {"fidelity", "Fidelity", "overlap with {}; 1 is the same state", NumberFormat::near_one,
     of_state},
    {"relative_error", "Relative error",
     "distance from the truth, divided by the norm of the truth"},
    {"psnr", "PSNR", "peak signal to noise against the truth", NumberFormat::decibel},
    {"resolution_pixels", "Resolution", "size of the finest detail that agrees with the truth",
     NumberFormat::pixels},
    {"purity", "Purity", "tr ρ²: 1 for a pure state", NumberFormat::near_one, of_state},
    {"entropy", "Entropy", "von Neumann, in bits: 0 for a pure state", NumberFormat::number,
     of_state},
    {"white_noise", "White noise", "part of the state that is maximally mixed", NumberFormat::share,
     of_state},
    {"trace_distance", "Trace distance", "from {}; 0 is the same state", NumberFormat::number,
     of_state},
    {"relative_misfit", "Relative misfit", "‖A(X) − y‖ / ‖y‖; 0 for a perfect fit"},
    {"trace", "Trace", "tr X of the answer", NumberFormat::near_one, of_matrix},
    {"rank", "Rank", "the largest that X may have", NumberFormat::number, of_matrix},
    {"objective", "Objective", "value of the loss", NumberFormat::number, of_matrix},
    {"misfit", "Misfit", "relative amplitude residual, ‖|A z| − √y‖ / ‖√y‖"},
    {"radius", "Radius", "of the l1 ball, found from the data"},
};

constexpr Known provenances[] = {
    {"command", "Command", "", NumberFormat::text},
    {"input", "Input", "", NumberFormat::text},
    {"method", "Method", "", NumberFormat::text},
    {"methods_asked", "Methods", "", NumberFormat::text},
    {"constraint", "Constraint", "", NumberFormat::text},
    {"support", "Support", "", NumberFormat::text},
    {"loss", "Loss", "", NumberFormat::text},
    {"rank", "Rank", "of the part without white noise", NumberFormat::number, of_state},
    {"objective", "Objective", "value of the loss", NumberFormat::number, of_state | of_image},
    {"tolerance", "Tolerance", "on the relative change of X", NumberFormat::number,
     of_matrix | of_state},
    {"tolerance", "Tolerance", "on the relative change of z", NumberFormat::number, of_image},
    {"max_iterations", "Iteration limit", ""},
    {"time_limit", "Time limit", "for each method", NumberFormat::seconds},
    {"target", "Compared with", "", NumberFormat::text},
    {"measurements", "Data points", ""},
    {"settings", "Settings", "measurement bases"},
    {"shots", "Shots", "in all settings together"},
    {"dimension", "Dimension", "rows of the factor"},
    {"iterations", "Iterations", ""},
    {"attempts", "Attempts", "from different starts"},
    {"transforms", "Transforms", "Fourier transforms, including those of the start"},
    {"seconds", "Time", "without reading files", NumberFormat::seconds},
    {"setup_seconds", "Setup time", "", NumberFormat::seconds},
    {"forward_calls", "Forward products", "evaluations of A(X)"},
    {"adjoint_calls", "Adjoint products", "evaluations of A*(w) V"},
    {"threads", "Threads", ""},
    {"device", "Device", "", NumberFormat::text},
    {"precision", "Precision", "", NumberFormat::text},
    {"seed", "Random seed", "", NumberFormat::text},
    {"version", "projfgd version", "", NumberFormat::text},
    {"input_sha256", "SHA-256 of the input", "", NumberFormat::text},
};

/// The state that the answer is compared with, as people write its name.
std::string target_in_words(const ordered_json& summary) {
  const std::string given = summary.value("target", "the target");
  std::string name = given.substr(given.find_last_of('/') + 1);  // without its folders
  for (const std::string_view ending : {".npy", ".json"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  constexpr std::pair<const char*, const char*> known[] = {
      {"ghz", "GHZ"}, {"w", "W"},     {"bell", "the Bell state"}, {"phi-", "Φ⁻"},
      {"psi+", "Ψ⁺"}, {"psi-", "Ψ⁻"}, {"truth", "the truth"}};
  const auto found = std::ranges::find(known, name, &std::pair<const char*, const char*>::first);
  return found == std::end(known) ? name : found->second;
}

bool is_undetermined(const ordered_json& summary, const char* key) {
  const auto list = summary.find("undetermined");
  return list != summary.end() && std::ranges::find(*list, key) != list->end();
}

/// A number of the answer with its interval, or the range that fits where the data leave it open.
std::string with_interval(const std::string& name, const ordered_json& summary, const char* key,
                          NumberFormat format) {
  const ordered_json intervals = intervals_of(summary);
  const double value = summary.at(key);
  if (is_undetermined(summary, key)) {
    const ordered_json& pair = intervals.at(key);
    return fmt::format("{} is not determined by these data: values from {} fit", name,
                       range_in_words(pair, decimals_of(value, pair)));
  }
  const Shown shown = shown_of(value, in_words(value, format), intervals, key, false);
  return fmt::format("{} {}{}", name, shown.value,
                     shown.interval.empty() ? "" : fmt::format(" ({})", shown.interval));
}

/// The answer in a line, for someone who reads no more than that.
std::string headline_of(const ordered_json& summary) {
  const auto has = [&](const char* key) {
    const auto found = summary.find(key);
    return found != summary.end() && found->is_number();
  };
  if (has("fidelity")) {
    return with_interval("Fidelity with " + target_in_words(summary), summary, "fidelity",
                         NumberFormat::near_one);
  }
  if (has("purity")) {
    return with_interval("Purity", summary, "purity", NumberFormat::near_one);
  }
  for (const char* key : {"relative_error", "misfit", "relative_misfit"}) {
    const auto found = summary.find(key);
    if (found == summary.end() || !found->is_number() || is_unknown(*found)) continue;
    const char* const name = key == std::string("relative_error") ? "Relative error"
                             : key == std::string("misfit")       ? "Relative amplitude residual"
                                                                  : "Relative misfit";
    return fmt::format("{} {}", name, in_words(*found, NumberFormat::number));
  }
  return {};
}

std::vector<Fact> facts_of(const ordered_json& summary, const auto& known) {
  std::vector<Fact> facts;
  for (const Known& entry : known) {
    const auto found = summary.find(entry.key);
    if (found == summary.end() || found->empty() || is_unknown(*found)) continue;
    constexpr double least_share = 5e-4;  // less is rounding, or nothing to tell
    if (entry.format == NumberFormat::share && found->get<double>() < least_share) continue;
    if ((entry.jobs & job_of(summary)) == 0) continue;
    const ordered_json intervals = intervals_of(summary);
    // What follows from a state that is one of many says nothing by itself.
    const bool determined = holds(summary, "determined");
    if (entry.jobs == of_state && !determined && !intervals.contains(entry.key)) continue;
    const double value = found->is_number() ? found->get<double>() : std::nan("");
    Shown shown = shown_of(value, in_words(*found, entry.format), intervals, entry.key,
                           is_undetermined(summary, entry.key));
    facts.push_back({entry.label, std::move(shown.value),
                     fmt::format(fmt::runtime(entry.note), target_in_words(summary)),
                     std::move(shown.interval)});
  }
  return facts;
}

/// With a capital letter, unless it begins with a name, and with a full stop.
std::string as_sentence(std::string text) {
  const std::size_t end = std::min(text.find_first_of(" :"), text.size());
  const bool name = text.substr(0, end).find_first_of("./=_") != std::string::npos ||
                    text.substr(end, 1) == ":";  // of a method
  if (!text.empty() && !text.starts_with('-') && !name) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  }
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

/// "p = 0.34"; below what its approximation is good for, only that it is.
std::string chance_in_words(double p) {
  constexpr double least = 1e-9;
  constexpr const char* unbroken = "\u00a0";  // no line may end inside
  return p < least ? fmt::format("p{0}<{0}10⁻⁹", unbroken)
                   : fmt::format("p{0}={0}{1}", unbroken, format_number(p, 2));
}

/// Chi-square over its degrees of freedom; not a number when they are not known.
double chi_square_each(const ordered_json& summary) {
  const double freedom = summary.value("degrees_of_freedom", 0.0);
  return freedom > 0 ? summary.value("chi_square", std::nan("")) / freedom : std::nan("");
}

/// What a user listed: one fact for each, as many as fit; the summary has them all.
void add_asked(const ordered_json& summary, const char* key, const char* name, const char* note,
               std::vector<Fact>& facts) {
  constexpr std::size_t most = 20;
  std::size_t count = 0;
  const ordered_json asked = summary.value(key, ordered_json::object());
  const ordered_json intervals = intervals_of(summary, key);
  for (const auto& [label, value] : asked.items()) {
    if (++count > most) break;
    Shown shown = shown_of(value, format_number(value.get<double>(), 4), intervals, label,
                           is_undetermined(summary, label.c_str()));
    std::string listed = label;  // "0_1" are qubits, as in the name of their file
    for (std::size_t at = 0; (at = listed.find('_', at)) != std::string::npos;) {
      listed.replace(at, 1, ", ");
    }
    facts.push_back({fmt::format(fmt::runtime(name), listed), std::move(shown.value), note,
                     std::move(shown.interval)});
  }
}

/// The entanglement of the qubit that has the least with the others.
void add_negativity(const ordered_json& summary, std::vector<Fact>& facts) {
  const ordered_json values = summary.value("negativities", ordered_json::object());
  const ordered_json intervals = intervals_of(summary, "negativities");
  if (values.empty() || (intervals.size() <= 2 && !holds(summary, "determined"))) return;
  std::string least = values.begin().key();
  for (const auto& [qubit, value] : values.items()) {
    if (value < values.at(least)) least = qubit;
  }
  const char* others = values.size() > 2 ? "with the others, the smallest" : "with the other";
  const double value = values.at(least);
  Shown shown = shown_of(value, format_number(value), intervals, least, false);
  facts.push_back(
      {"Negativity", std::move(shown.value),
       fmt::format("of qubit {} {}; 0 without entanglement, 0.5 at most", least, others),
       std::move(shown.interval)});
}

}  // namespace

std::vector<Fact> answer_facts(const ordered_json& summary) {
  std::vector<Fact> facts = facts_of(summary, answers);
  if (const double each = chi_square_each(summary); std::isfinite(each)) {
    constexpr std::size_t place = 3;
    facts.insert(
        facts.begin() + static_cast<std::ptrdiff_t>(std::min(place, facts.size())),
        {"Chi-square", format_number(each),
         summary.value("less_scatter_than_noise", false)
             ? "per degree of freedom, less than noise alone gives: were the data smoothed "
               "or normalised?"
         : summary.value("loss", "") == "least-squares"
             ? "per degree of freedom; least squares does not minimise it, so the fit is "
               "judged by the residual"
             : "per degree of freedom; about 1 when noise alone explains the misfit"});
  }
  if (summary.value("degrees_of_freedom", 1.0) == 0 && summary.contains("chi_square")) {
    facts.push_back({"Chi-square", in_words(summary["chi_square"], NumberFormat::number),
                     "no degrees of freedom are left: the state has as many parameters as there "
                     "are data points"});
  }
  add_negativity(summary, facts);
  add_asked(summary, "expectations", "Expectation of {}", "tr(P ρ)", facts);
  add_asked(summary, "reduced_purity", "Purity of qubits {}", "of their reduced state", facts);
  return facts;
}

std::string status_in_words(const std::string& status) {
  std::string words = status;
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string doubt_in_words(const ordered_json& summary) {
  if (summary.value("status", "") != to_string(Status::converged)) return "";
  const bool image = job_of(summary) == of_image;
  // Of an image that the data do not determine it is not asked how well it fits them.
  if (image && !holds(summary, "determined")) return ", but not determined by the data";
  if (!holds(summary, "fits_data")) return ", but does not fit the data";
  return holds(summary, "determined") ? "" : ", but not determined by the data";
}

Report start_report(std::string title, std::string subtitle, const ordered_json& summary) {
  Report report{.title = std::move(title), .subtitle = std::move(subtitle)};
  report.headline = headline_of(summary);
  const std::string status = summary.value("status", "");
  const std::string effort =
      fmt::format("{}, {}", format_count(summary.value("iterations", Index{0}), "iteration"),
                  format_seconds(summary.value("seconds", std::nan(""))));
  std::string converged;  // comes last: it says nothing of the data
  if (status == to_string(Status::converged)) {
    converged = fmt::format("The method converged ({}).", effort);
  } else if (status == to_string(Status::diverged)) {
    report.verdict = Verdict::bad;
    report.verdict_text =
        fmt::format("The method failed: the numbers grew without bound ({}).", effort);
  } else {
    report.verdict = Verdict::caution;
    const char* reason = status == to_string(Status::time_limit)    ? "the time limit"
                         : status == to_string(Status::interrupted) ? "an interruption"
                         : status == to_string(Status::stalled)     ? "a lack of progress"
                                                                    : "the iteration limit";
    report.verdict_text = fmt::format(
        "Stopped by {} before it converged ({}). The best result so far is shown.", reason, effort);
  }
  const auto say = [&text = report.verdict_text](const std::string& sentence) {
    if (!text.empty() && !sentence.empty()) text += ' ';
    text += sentence;
  };
  const bool image = job_of(summary) == of_image;
  const bool determined = holds(summary, "determined");
  // fits_data of an image is false if the data do not determine it, however well it fits them.
  const bool fits = holds(summary, "fits_data") || (image && !determined);
  if (!determined) {
    say(fmt::format("These data do not determine the {}.", image ? "image" : "state"));
  }
  if (summary.contains("fits_data") && summary["fits_data"].is_null()) {
    say("Only a run that converged shows whether the state fits the data and whether they "
        "determine it.");
  } else if (std::isfinite(chi_square_each(summary))) {
    const auto p = summary.find("p_value");
    say(fmt::format(
        "{}{}.", fits ? "Noise explains the misfit" : "The misfit is larger than noise explains",
        p == summary.end() ? "" : fmt::format(" ({})", chance_in_words(p->get<double>()))));
  } else if (!fits) {
    say(fmt::format("The {} leaves too much of the data unexplained.", image ? "image" : "fit"));
  } else if (image && determined && summary.contains("fits_data")) {
    say("The image explains the data.");
  }
  if (const std::string noise = summary.value("noise", ""); !noise.empty()) {
    say(as_sentence(noise));
  }
  say(converged);
  if (!fits) {
    report.verdict = Verdict::bad;
  } else if (!determined && report.verdict == Verdict::good) {
    report.verdict = Verdict::caution;
  }
  if (const auto warnings = summary.find("warnings"); warnings != summary.end()) {
    for (const auto& warning : *warnings) report.remarks.push_back(as_sentence(warning));
    if (report.verdict == Verdict::good) report.verdict = Verdict::caution;
  }
  for (const char* key : {"rank_reason", "interval_note"}) {
    const std::string note = summary.value(key, "");
    if (!note.empty()) report.remarks.push_back(as_sentence(note));
  }
  report.facts = answer_facts(summary);
  report.provenance = facts_of(summary, provenances);
  return report;
}

Index selection_step(Index size) { return size <= 4000 ? 1 : (size / 4000) | 1; }

std::string sought_in(const ordered_json& summary) {
  return job_of(summary) == of_image ? "z" : "X";
}

}  // namespace projfgd

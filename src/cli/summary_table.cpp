#include "summary_table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "messages.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/text.hpp"
#include "projfgd/io/utf8.hpp"
#include "projfgd/jobs/report.hpp"

namespace projfgd {
namespace {

constexpr int green = 32, yellow = 33, grey = 90;

class Aligned {
 public:
  /// A name of a file or a folder may hold what would command the terminal.
  void add(std::string name, const std::string& value, const std::string& note = "",
           int colour = 0) {
    std::ranges::transform(name, name.begin(), [](char c) { return c == '_' ? ' ' : c; });
    const bool acronym = name.size() > 1 && name[1] >= 'A' && name[1] <= 'Z';
    if (name.front() >= 'A' && name.front() <= 'Z' && !acronym) name.front() += 'a' - 'A';
    rows_.push_back({printable(name), printable(value), printable(note), colour});
  }

  std::string text() const {
    const bool coloured = takes_colour(STDOUT_FILENO);
    std::size_t names = 0, values = 0;
    for (const Row& row : rows_) {
      names = std::max(names, character_count(row.name));
      if (!row.note.empty()) values = std::max(values, character_count(row.value));
    }
    const auto painted = [&](const std::string& text, int colour) {
      return coloured && colour != 0 ? fmt::format("\x1b[{}m{}\x1b[0m", colour, text) : text;
    };
    std::string out;
    for (const Row& row : rows_) {
      out += row.name + std::string(names - character_count(row.name) + 2, ' ') +
             painted(beside(row.value, names + 2), row.colour);
      if (!row.note.empty()) {
        out += std::string(values - character_count(row.value) + 2, ' ') +
               painted(beside(row.note, names + values + 4), grey);
      }
      out += '\n';
    }
    return out;
  }

 private:
  /// Wrapped on a terminal, where it begins at this column.
  static std::string beside(const std::string& text, std::size_t column) {
    constexpr std::size_t least_room = 20;
    const std::size_t width = terminal_width(STDOUT_FILENO);
    if (width < column + least_room) return text;
    return wrapped(std::string(column, '_') + text, width, column).substr(column);
  }

  struct Row {
    std::string name, value, note;
    int colour;
  };
  std::vector<Row> rows_;
};

std::string cell(const Json& value) {
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

void add_run(const Json& summary, Aligned& columns) {
  for (const Fact& fact : answer_facts(summary)) {
    columns.add(
        fact.label,
        fact.interval.empty() ? fact.value : fmt::format("{} ({})", fact.value, fact.interval),
        fact.note);
  }
  const std::string doubt = doubt_in_words(summary);
  const auto fits = summary.find("fits_data");
  const bool good = doubt.empty() && fits != summary.end() && *fits == true;
  columns.add(
      "status", status_in_words(summary.at("status")) + (good ? ", and fits the data" : doubt),
      doubt.empty() ? summary.value("message", std::string()) : "see the warning",
      doubt.empty() && summary.at("status") == to_string(Status::converged) ? green : yellow);
  if (const auto reason = summary.find("rank_reason"); reason != summary.end()) {
    columns.add("model", reason->get<std::string>());
  }
  if (!summary.contains("interval_refits") && summary.contains("interval_note")) {
    columns.add("note", summary.at("interval_note").get<std::string>());
  }
  columns.add("time", format_seconds(summary.value("seconds", std::nan(""))),
              format_count(summary.value("iterations", 0L), "iteration"));
}

}  // namespace

std::string summary_table(const Json& summary, const std::filesystem::path& folder) {
  Aligned columns;
  if (summary.contains("status")) {
    add_run(summary, columns);
    if (!folder.empty()) columns.add("report", (folder / "report.html").string());
  } else {
    for (const auto& [name, value] : summary.items()) {
      if (name == "shape") {
        columns.add(name, shape_text(value.get<std::vector<Index>>()));
      } else if (!value.is_structured() && !value.is_null()) {
        columns.add(name, cell(value));
      }
    }
  }
  return columns.text();
}

}  // namespace projfgd

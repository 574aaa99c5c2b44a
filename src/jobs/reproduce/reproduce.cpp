#include "projfgd/jobs/reproduce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "jobs/compare/methods.hpp"
#include "jobs/reproduce/figures.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/result_folder.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"

namespace projfgd {
namespace {

struct Entry {
  const char* name;
  const char* title;                       ///< with a place for the sizes
  const char* paper;                       ///< the sizes of the paper
  std::vector<Cell> (*cells)(bool quick);  ///< null where it has none
  Reproduction (*run)(const std::string& name, const std::vector<Cell>& cells, CellRunner&);

  std::string titled(const std::string& sizes) const {
    return fmt::format(fmt::runtime(title), sizes);
  }
};

constexpr Entry entries[] = {
    {"figure-xi", "The two constants of the proof as functions of xi", "", nullptr,
     reproduce_figure_xi},
    {"table-q13", "ProjFGD and AccUniPDGrad at {}", "q = 13, r = 1, C = 3", cells_of_table_q13,
     reproduce_table},
    {"table-rank", "Four methods at {}, and the curves of the appendix", "q = 10, r = 5, 20, C = 3",
     cells_of_table_rank, reproduce_table_and_curves},
    {"table-full", "Four methods without noise at {}", "q = 6, 8, 10, 12, r = 1, C = 3, 6, 10",
     cells_of_table_full, reproduce_table},
    {"table-random", "Four methods from random starts at {}, and the curves of the appendix",
     "q = 10, r = 1, C = 3, 6, 10", cells_of_table_random, reproduce_table_and_curves},
    {"figure-convergence", "Error against iterations and time at {}",
     "q = 10, 12, r = 1, 20, C = 3, 6, 10", cells_of_figure_convergence,
     reproduce_figure_convergence},
    {"figure-timing", "Total time against q and against r at {}",
     "q = 6, 8, 10, 12, r = 1, 5, 10, 20, C = 6", cells_of_figure_timing, reproduce_figure_timing},
    {"figure-phase", "An image of {} from 21 coded diffraction patterns", "883 x 1280", nullptr,
     reproduce_figure_phase},
};

const Entry& find(const std::string& name) { return require_named("reproduce", entries, name); }

/// Those of these names; without a name, all.
std::vector<const Entry*> find_all(const std::vector<std::string>& names) {
  std::vector<const Entry*> found;
  found.reserve(std::size(entries));
  for (const std::string& name : names) found.push_back(&find(name));
  if (found.empty()) {
    for (const Entry& entry : entries) found.push_back(&entry);
  }
  return found;
}

/// The cells that the request's filters leave.
std::vector<Cell> wanted(const Entry& entry, const ReproduceRequest& request) {
  const auto has = [](const auto& list, auto value) {
    return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
  };
  std::vector<Cell> left;
  if (entry.cells == nullptr) return left;
  for (const Cell& cell : entry.cells(request.quick)) {
    if (!has(request.qubits, cell.qubits) || !has(request.csam, cell.csam)) continue;
    left.push_back(cell);
    if (request.samples != "paper") left.back().log_samples = request.samples == "log";
  }
  return left;
}

/// Throws InputError for an option of cells where nothing that is asked for has any.
void refuse_options_of_cells(const std::vector<const Entry*>& asked,
                             const ReproduceRequest& request) {
  std::vector<std::string> without, with;
  for (const Entry* entry : asked) {
    if (entry->cells != nullptr) return;
    without.emplace_back(entry->name);
  }
  for (const Entry& entry : entries) {
    if (entry.cells != nullptr) with.emplace_back(entry.name);
  }
  const std::pair<const char*, bool> options[] = {{"qubits", !request.qubits.empty()},
                                                  {"csam", !request.csam.empty()},
                                                  {"samples", request.samples != "paper"}};
  for (const auto& [option, given] : options) {
    if (!given) continue;
    throw InputError(fmt::format("--{}: found {}, to which it does not apply, expected some of {}",
                                 option, fmt::join(without, ", "), fmt::join(with, ", ")));
  }
}

/// "table-full with q = 6, 8 and C = 3, 6, 10": what there is to choose from.
std::string cells_text(const Entry& entry, bool quick) {
  std::map<int, std::set<double>> csam_of;
  for (const Cell& cell : entry.cells(quick)) csam_of[cell.qubits].insert(cell.csam);
  std::map<std::set<double>, std::vector<int>> groups;  // the q that have the same C
  for (const auto& [qubits, csam] : csam_of) groups[csam].push_back(qubits);
  std::vector<std::string> parts;
  parts.reserve(groups.size());
  for (const auto& [csam, qubits] : groups) {
    parts.push_back(
        fmt::format("q = {} and C = {}", fmt::join(qubits, ", "), fmt::join(csam, ", ")));
  }
  return fmt::format("{} with {}", entry.name, fmt::join(parts, ", or "));
}

/// "q = 6 and C = 3": what was asked for.
std::string filters_text(const ReproduceRequest& request) {
  std::vector<std::string> filters;
  if (!request.qubits.empty()) {
    filters.push_back(fmt::format("q = {}", fmt::join(request.qubits, ", ")));
  }
  if (!request.csam.empty()) {
    filters.push_back(fmt::format("C = {}", fmt::join(request.csam, ", ")));
  }
  return fmt::format("{}", fmt::join(filters, " and "));
}

/// Throws InputError where they leave no cell of all those asked for.
void refuse_filters(const std::vector<const Entry*>& asked, const ReproduceRequest& request) {
  std::vector<std::string> there;
  for (const Entry* entry : asked) {
    if (!wanted(*entry, request).empty()) return;
    if (entry->cells != nullptr) there.push_back(cells_text(*entry, request.quick));
  }
  if (there.empty()) return;
  throw InputError(fmt::format("reproduce: found no experiment with {}, expected some of {}",
                               filters_text(request), fmt::join(there, "; ")));
}

/// What a quick run leaves out of the paper.
std::string quick_note(const Entry& entry, const Json& rows) {
  const std::vector<Cell> paper = entry.cells(false);
  const bool of_paper = std::all_of(rows.begin(), rows.end(), [&](const Json& row) {
    return std::any_of(paper.begin(), paper.end(), [&](const Cell& cell) {
      return row["qubits"] == cell.qubits && row["rank"] == cell.rank && row["csam"] == cell.csam;
    });
  });
  return of_paper ? "Quick run: these experiments have the sizes of the paper, others are left out."
                  : "Quick run: fewer qubits than in the paper.";
}

void mark_interrupted(Reproduction& r) {
  constexpr const char* what = "Interrupted: experiments that had not finished are missing.";
  r.record["interrupted"] = true;
  r.record["notes"].insert(r.record["notes"].begin(), what);
  r.page.verdict = Verdict::caution;
  r.page.verdict_text = what;
}

}  // namespace

std::vector<ReproductionName> reproductions(const std::vector<std::string>& names) {
  std::vector<ReproductionName> list;
  for (const Entry* entry : find_all(names)) {
    list.push_back({entry->name, entry->titled(entry->paper)});
  }
  return list;
}

std::vector<std::pair<std::string, std::string>> reproduction_columns() {
  return {
      {"as accurate", "our error is at most the printed one"},
      {"ProjFGD first", "ProjFGD reached the equal error before the method of the row"},
      {"equal error",
       "larger of the two final errors, or just below the initial error if that is no better"},
      {"seconds to it",
       "time until the method of the row reached the equal error; – if it never did"},
      {"ProjFGD to it", "the same for ProjFGD"},
      {"rank", "eigenvalues of the answer above a millionth of the largest"},
      {"gap", "upper bound on f(X) minus its minimum over X >= 0, tr X <= 1"},
      {"certified", "yes: the eigenvalue behind the gap is exact; no: the gap is an estimate"},
  };
}

double default_time_limit(bool quick) { return quick ? 3 : 240; }

Reproduction begin_reproduction(const std::string& name, const CellRunner& runner,
                                const std::string& sizes) {
  const ReproduceRequest& request = runner.request();
  const std::string title = find(name).titled(sizes);
  Reproduction r{name, {}, {}, {}};
  const double limit = runner.time_limit();
  r.record = {{"name", name},
              {"title", title},
              {"quick", request.quick},
              {"seed", request.seed},
              {"time_limit", limit},
              {"threads", threads()},
              {"samples", request.samples},
              {"version", version()}};
  r.page.title = title;
  r.page.subtitle =
      request.command.empty() ? fmt::format("projfgd reproduce {}", name) : request.command;
  r.page.provenance = {{"Command", r.page.subtitle, ""},
                       {"Seed", fmt::format("{}", request.seed), "of the experiment"},
                       {"Time limit", format_seconds(limit), "for each method in an experiment"},
                       {"Threads", fmt::format("{}", threads()), ""},
                       {"projfgd version", std::string(version()), ""}};
  return r;
}

void finish_reproduction(Reproduction& r, Json rows, const std::vector<TableColumn>& columns,
                         std::vector<std::string> notes) {
  if (const Entry& entry = find(r.name); entry.cells != nullptr && r.record["quick"] == true) {
    notes.insert(notes.begin(), quick_note(entry, rows));
  }
  const bool beside = std::any_of(rows.begin(), rows.end(), [](const Json& row) {
    return row.contains("paper_error") || row.contains("paper_seconds");
  });
  if (r.page.verdict_text.empty()) {
    r.page.verdict_text = beside ? "The numbers of the paper next to ours."
                                 : "Our numbers; the paper prints none to compare with.";
  }
  r.summary = table_of(rows, columns);
  r.record["notes"] = notes;
  r.record["rows"] = std::move(rows);
  r.page.remarks.insert(r.page.remarks.end(), notes.begin(), notes.end());
  Section section{.title = beside ? "Paper and ours" : "Our figures", .columns = Columns::one};
  section.blocks.emplace_back(r.summary);
  r.page.sections.insert(r.page.sections.begin(), std::move(section));
}

std::vector<std::string> sample_rule_names() {
  std::vector<std::string> names = pauli_sample_names();
  names.insert(names.begin(), "paper");
  return names;
}

void reproduce(const ReproduceRequest& request,
               const std::function<void(const Reproduction&)>& done) {
  const std::vector<const Entry*> asked = find_all(request.names);
  require_name("--samples", request.samples, sample_rule_names());
  refuse_options_of_cells(asked, request);
  refuse_filters(asked, request);
  set_threads(request.threads);
  CellRunner runner(request);
  for (const Entry* entry : asked) {
    if (is_interrupted(request.interrupt)) return;
    const std::vector<Cell> cells = wanted(*entry, request);
    if (entry->cells != nullptr && cells.empty()) {
      if (request.progress) {
        request.progress(fmt::format("{}: skipped, because no experiment has {}; try {}",
                                     entry->name, filters_text(request),
                                     cells_text(*entry, request.quick)));
      }
      continue;
    }
    Reproduction r = entry->run(entry->name, cells, runner);
    if (is_interrupted(request.interrupt)) mark_interrupted(r);
    done(r);
  }
}

std::vector<std::string> reproduction_files(const std::string& name) {
  return {name + ".csv", name + ".html", name + ".json"};
}

void write_reproduction(const std::filesystem::path& folder, const Reproduction& reproduction) {
  ResultFolder results(folder, reproduction.name);
  const std::vector<std::string> names = reproduction_files(reproduction.name);
  results.add(names[0], rows_csv(reproduction.record.at("rows")));
  results.add(names[1], render(reproduction.page));
  results.add(names[2], json_text(reproduction.record));
  results.publish();
}

}  // namespace projfgd

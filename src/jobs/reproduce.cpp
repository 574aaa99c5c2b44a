#include "projfgd/jobs/reproduce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compare_methods.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "reproduce_figures.hpp"

namespace projfgd {
namespace {

struct Entry {
  const char* name;
  const char* title;                                ///< with a place for the sizes
  const char* paper;                                ///< the sizes of the paper
  std::optional<Reproduction> (*run)(CellRunner&);  ///< nothing where no cell is wanted

  std::string titled(const std::string& sizes) const {
    return fmt::format(fmt::runtime(title), sizes);
  }
};

constexpr Entry entries[] = {
    {"figure-xi", "The two constants of the proof as functions of xi", "", reproduce_figure_xi},
    {"table-q13", "ProjFGD and AccUniPDGrad at {}", "q = 13, r = 1, C = 3", reproduce_table_q13},
    {"table-rank", "Four methods at {}", "q = 10, r = 5, 20, C = 3", reproduce_table_rank},
    {"table-full", "Four methods without noise at {}", "q = 6, 8, 10, 12, r = 1, C = 3, 6, 10",
     reproduce_table_full},
    {"table-random", "Four methods from random starts at {}", "q = 10, r = 1, C = 3, 6, 10",
     reproduce_table_random},
    {"figure-convergence", "Error against iterations and time at {}",
     "q = 10, 12, r = 1, 20, C = 3, 6, 10", reproduce_figure_convergence},
    {"figure-timing", "Total time against q and against r at {}",
     "q = 6, 8, 10, 12, r = 1, 5, 10, 20, C = 6", reproduce_figure_timing},
    {"figure-phase", "An image of {} from 21 coded diffraction patterns", "883 x 1280",
     reproduce_figure_phase},
};

const Entry& find(const std::string& name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  throw InputError(
      fmt::format("reproduce: found \"{}\", expected some of {}", name, fmt::join(names, ", ")));
}

void mark_interrupted(Reproduction& r) {
  constexpr const char* what =
      "Interrupted: what is here was run before that, the rest is missing.";
  r.record["interrupted"] = true;
  r.record["notes"].insert(r.record["notes"].begin(), what);
  r.page.verdict = Verdict::caution;
  r.page.verdict_text = what;
}

}  // namespace

const std::vector<ReproductionName>& reproductions() {
  static const std::vector<ReproductionName> names = [] {
    std::vector<ReproductionName> list;
    for (const Entry& entry : entries) list.push_back({entry.name, entry.titled(entry.paper)});
    return list;
  }();
  return names;
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
                       {"Time limit", format_seconds(limit), "for a method in a cell"},
                       {"Threads", fmt::format("{}", threads()), ""},
                       {"Version of projfgd", std::string(version()), ""}};
  return r;
}

void finish_reproduction(Reproduction& r, Json rows, const std::vector<TableColumn>& columns,
                         const std::vector<std::string>& notes) {
  const bool beside = std::any_of(rows.begin(), rows.end(), [](const Json& row) {
    return row.contains("paper_error") || row.contains("paper_seconds");
  });
  if (r.page.verdict_text.empty()) {
    r.page.verdict_text = beside ? "The paper's figures beside ours."
                                 : "Our figures; the paper prints none to put beside them.";
  }
  r.summary = table_of(rows, columns);
  r.record["notes"] = notes;
  r.record["rows"] = std::move(rows);
  r.page.remarks.insert(r.page.remarks.end(), notes.begin(), notes.end());
  Section section{.title = beside ? "Paper and ours" : "Our figures", .columns = Columns::one};
  section.blocks.emplace_back(r.summary);
  r.page.sections.insert(r.page.sections.begin(), std::move(section));
}

std::vector<std::string> sample_rule_names() { return {"paper", "linear", "log"}; }

void reproduce(const ReproduceRequest& request,
               const std::function<void(const Reproduction&)>& done) {
  std::vector<const Entry*> wanted;
  for (const std::string& name : request.names) wanted.push_back(&find(name));
  const std::vector<std::string> rules = sample_rule_names();
  if (std::ranges::find(rules, request.samples) == rules.end()) {
    throw InputError(
        fmt::format("option samples: found \"{}\", expected {}", request.samples, either(rules)));
  }
  if (wanted.empty()) {
    for (const Entry& entry : entries) wanted.push_back(&entry);
  }
  set_threads(request.threads);
  CellRunner runner(request);
  bool any = false;
  for (const Entry* entry : wanted) {
    if (is_interrupted(request.interrupt)) return;
    std::optional<Reproduction> r = entry->run(runner);
    if (!r) continue;
    if (is_interrupted(request.interrupt)) mark_interrupted(*r);
    done(*r);
    any = true;
  }
  if (!any) {
    throw InputError(
        "reproduce: no cell has the qubits and C asked for, expected some of those of the table");
  }
}

void write_reproduction(const std::filesystem::path& folder, const Reproduction& reproduction) {
  make_folder(folder);
  const std::string& name = reproduction.name;
  write_file(folder / (name + ".csv"), rows_csv(reproduction.record.at("rows")));
  write_file(folder / (name + ".html"), render(reproduction.page));
  write_file(folder / (name + ".json"),
             json_text(reproduction.record));  // last: it marks the whole
}

}  // namespace projfgd

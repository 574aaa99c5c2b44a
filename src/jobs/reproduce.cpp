#include "projfgd/jobs/reproduce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compare_methods.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "reproduce_figures.hpp"

namespace projfgd {
namespace {

struct Entry {
  ReproductionName name;
  Reproduction (*run)(CellRunner&);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {{"figure-xi", "The two constants of the proof as functions of xi"}, reproduce_figure_xi},
      {{"table-q13", "ProjFGD and AccUniPDGrad at q = 13, C = 3"}, reproduce_table_q13},
      {{"table-rank", "q = 10, r = 5 and 20, C = 3, four methods"}, reproduce_table_rank},
      {{"table-full", "q = 6, 8, 10, 12, C = 3, 6, 10, r = 1, four methods, without noise"},
       reproduce_table_full},
      {{"table-random", "q = 10, C = 3, 6, 10, r = 1, from random starts"}, reproduce_table_random},
      {{"figure-convergence", "Error against iterations and time, q = 10 and 12, r = 1 and 20"},
       reproduce_figure_convergence},
      {{"figure-timing", "Total time against q (r = 1, C = 6) and against r (q = 10, C = 6)"},
       reproduce_figure_timing},
      {{"figure-phase", "An 883 x 1280 image from 21 coded diffraction patterns"},
       reproduce_figure_phase},
  };
  return all;
}

const Entry& find(const std::string& name) {
  for (const Entry& entry : entries()) {
    if (entry.name.name == name) return entry;
  }
  std::vector<std::string> names;
  for (const Entry& entry : entries()) names.push_back(entry.name.name);
  throw InputError(
      fmt::format("reproduce: found \"{}\", expected some of {}", name, fmt::join(names, ", ")));
}

}  // namespace

const std::vector<ReproductionName>& reproductions() {
  static const std::vector<ReproductionName> names = [] {
    std::vector<ReproductionName> list;
    for (const Entry& entry : entries()) list.push_back(entry.name);
    return list;
  }();
  return names;
}

double default_time_limit(bool quick) { return quick ? 3 : 240; }

Reproduction begin_reproduction(const std::string& name, const CellRunner& runner) {
  const ReproduceRequest& request = runner.request();
  const std::string& title = find(name).name.title;
  Reproduction r{name, {}, {}, {}};
  const double limit =
      request.time_limit > 0 ? request.time_limit : default_time_limit(request.quick);
  r.record = {{"name", name},
              {"title", title},
              {"quick", request.quick},
              {"seed", request.seed},
              {"time_limit", limit},
              {"threads", threads()},
              {"log_samples", request.log_samples},
              {"version", version()}};
  r.page.title = title;
  r.page.subtitle = fmt::format("projfgd reproduce {}{}{}", name, request.quick ? " --quick" : "",
                                request.log_samples ? " --log-samples" : "");
  r.page.verdict_text = "The paper's figures beside ours.";
  r.page.provenance = {{"Command", r.page.subtitle, ""},
                       {"Seed", fmt::format("{}", request.seed), "of the experiment"},
                       {"Time limit", format_seconds(limit), "for a method in a cell"},
                       {"Threads", fmt::format("{}", threads()), ""},
                       {"Version of projfgd", std::string(version()), ""}};
  return r;
}

void finish_reproduction(Reproduction& r, Json rows, const std::vector<TableColumn>& columns,
                         const std::vector<std::string>& notes) {
  r.summary = table_of(rows, columns);
  r.record["notes"] = notes;
  r.record["rows"] = std::move(rows);
  r.page.remarks.insert(r.page.remarks.end(), notes.begin(), notes.end());
  Section section{.title = "Paper and ours", .columns = Columns::one};
  section.blocks.emplace_back(r.summary);
  r.page.sections.insert(r.page.sections.begin(), std::move(section));
}

void reproduce(const ReproduceRequest& request,
               const std::function<void(const Reproduction&)>& done) {
  std::vector<const Entry*> wanted;
  for (const std::string& name : request.names) wanted.push_back(&find(name));
  if (wanted.empty()) {
    for (const Entry& entry : entries()) wanted.push_back(&entry);
  }
  set_threads(request.threads);
  CellRunner runner(request);
  for (const Entry* entry : wanted) {
    if (is_interrupted(request.interrupt)) return;
    done(entry->run(runner));
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

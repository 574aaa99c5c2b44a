#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "jobs/reproduce/figures.hpp"
#include "jobs/reproduce/paper_figures.hpp"
#include "projfgd/io/charts.hpp"
#include "projfgd/jobs/report.hpp"

namespace projfgd {
namespace {

constexpr double paper_noise = 1e-3;
constexpr double samples[] = {3, 6, 10};

/// Of the panel of figure-timing against the rank.
constexpr int qubits_of_ranks(bool quick) { return quick ? 7 : 10; }

const std::vector<TableColumn> columns = {{"qubits", "q"},
                                          {"rank", "r"},
                                          {"csam", "C"},
                                          {"measurements", "m"},
                                          {"method", "method"},
                                          {"paper_error", "error, paper"},
                                          {"relative_error", "error, ours"},
                                          {"as_accurate", "as accurate"},
                                          {"paper_seconds", "seconds, paper"},
                                          {"seconds", "seconds, ours"},
                                          {"projfgd_first", "ProjFGD first"},
                                          {"equal_error", "equal error"},
                                          {"seconds_to_equal_error", "seconds to it"},
                                          {"projfgd_seconds_to_equal_error", "ProjFGD to it"},
                                          {"status", "status"},
                                          {"iterations", "iterations"},
                                          {"forward_calls", "forward"},
                                          {"adjoint_calls", "adjoint"},
                                          {"eigenvector_calls", "eigenvectors"},
                                          {"answer_rank", "rank"},
                                          {"gap", "gap"},
                                          {"certified", "certified"},
                                          {"misprint", "paper not comparable"}};

std::vector<Cell> grid(const std::vector<int>& qubits, double noise, const std::string& init) {
  std::vector<Cell> cells;
  for (const int q : qubits) {
    for (const double c : samples) cells.push_back({q, 1, c, noise, init});
  }
  return cells;
}

bool any_row(const Json& rows, const auto& is_one) {
  return std::any_of(rows.begin(), rows.end(), is_one);
}

/// How many measurements the cells have, by the formulas that occur.
std::vector<std::string> notes_on_samples(const Json& rows) {
  const auto occurs = [&](const char* formula) {
    return any_row(rows, [&](const Json& row) { return row["samples"] == formula; });
  };
  std::vector<std::string> notes;
  if (occurs("C r n ln n")) {
    notes.emplace_back("m = C r n ln n, the paper's formula; --samples linear takes m = C r n.");
  }
  if (occurs("C r n")) {
    notes.emplace_back(
        "m = C r n, which gives the 12,288 and 245,760 measurements that the paper prints for two "
        "panels of its figure, where it says so; --samples log takes the paper's formula.");
  }
  if (occurs("4^q")) {
    notes.emplace_back(
        "In at least one experiment the formula exceeds the number of Pauli strings, so m = 4^q, "
        "all of them.");
  }
  return notes;
}

/// The figures of the paper that cannot be compared.
std::set<std::string> notes_on_misprints(const Json& rows) {
  std::set<std::string> notes;
  for (const Json& row : rows) {
    if (!row.contains("misprint")) continue;
    notes.insert(fmt::format("Not comparable, q = {}, r = {}, C = {}: {}.",
                             row["qubits"].get<int>(), row["rank"].get<int>(),
                             row["csam"].get<double>(), row["misprint"].get<std::string>()));
  }
  return notes;
}

/// What kept methods from the answer, or from being first.
std::vector<std::string> notes_on_results(const Json& rows) {
  std::vector<std::string> notes;
  if (any_row(rows, [](const Json& row) {
        return row["samples"] == "C r n" && row["csam"] == 3.0 &&
               row["method"] == "acc-uni-pd-grad";
      })) {
    notes.emplace_back(
        "At m = 3 r n the convex problem without a rank constraint has solutions other than X*; "
        "the methods that solve it (SparseApproxSDP, AccUniPDGrad) end at one of those.");
  }
  if (any_row(rows, [](const Json& row) {
        return std::ldexp(1, row["qubits"].get<int>()) > largest_certified;
      })) {
    notes.push_back(
        fmt::format("Beyond n = {} no gap is computed, because its eigenvalues take longer than "
                    "solving; a gap shown there is the bound of the method itself.",
                    largest_certified));
  }
  if (any_row(rows, [](const Json& row) { return row["status"] == "time_limit"; })) {
    notes.emplace_back(
        "Methods with the status time_limit reached the time limit before they converged.");
  }
  if (any_row(rows, [](const Json& row) { return !row.value("projfgd_first", true); })) {
    notes.emplace_back("In at least one experiment another method reached the equal error first.");
  }
  return notes;
}

std::vector<std::string> notes_of(const std::string& name, const Json& rows) {
  const bool spectral =
      any_row(rows, [](const Json& row) { return row["init"] == start_name::spectral; });
  std::vector<std::string> notes = paper_slips(name, spectral);
  std::ranges::copy(notes_on_samples(rows), std::back_inserter(notes));
  std::ranges::copy(notes_on_misprints(rows), std::back_inserter(notes));
  std::ranges::copy(notes_on_results(rows), std::back_inserter(notes));
  return notes;
}

struct Run {
  Cell cell;
  const std::vector<ComparedRun>& runs;
};

/// Runs the cells and keeps what they did; rows of all of them.
Json run_cells(const std::string& name, const std::vector<Cell>& cells, CellRunner& runner,
               std::vector<Run>& kept) {
  Json rows = Json::array();
  for (const Cell& cell : cells) {
    const auto& runs = runner.run(cell);
    for (Json& row : cell_rows(name, cell, runs)) rows.push_back(std::move(row));
    if (!runs.empty()) kept.push_back({cell, runs});
  }
  return rows;
}

/// "q = 6, 8, r = 1, C = 3, 6, 10"
std::string sizes_of(const std::vector<Cell>& cells) {
  std::set<int> qubits;
  std::set<Index> ranks;
  std::set<double> csam;
  for (const Cell& cell : cells) {
    qubits.insert(cell.qubits);
    ranks.insert(cell.rank);
    csam.insert(cell.csam);
  }
  return fmt::format("q = {}, r = {}, C = {}", fmt::join(qubits, ", "), fmt::join(ranks, ", "),
                     fmt::join(csam, ", "));
}

/// Error against iterations and time, a section a cell.
void add_curves(const std::vector<Run>& kept, Reproduction& r) {
  for (const Run& run : kept) {
    Section section = convergence_section(named_traces(run.runs));
    section.title = run.cell.label();
    std::erase_if(section.blocks, [](const Block& block) {
      return std::get<Chart>(block).title.find("Error") == std::string::npos;
    });
    section.columns = Columns::two;
    r.page.sections.push_back(std::move(section));
  }
}

/// The table with its legend, above what the page has.
void add_table(Reproduction& r, Json rows, const std::vector<std::string>& notes) {
  finish_reproduction(r, std::move(rows), columns, notes);
  std::string& text = r.page.sections.front().text;
  for (const auto& [column, meaning] : reproduction_columns()) {
    const bool judged = std::ranges::find(r.summary.header, column) != r.summary.header.end();
    if (column == "as accurate" && !judged) continue;  // the paper prints nothing
    text += fmt::format("{}{}: {}.", text.empty() ? "" : " ", column, meaning);
  }
}

/// Total time of every method against x(cell), in the cells that belong there.
Chart time_chart(const std::vector<Run>& kept, const char* title, const char* axis, const auto& x,
                 const auto& belongs) {
  std::vector<charts::Line> lines;
  for (const std::string& method : default_methods(false)) {
    charts::Line line{.name = method};
    for (const Run& run : kept) {
      if (!belongs(run.cell)) continue;
      for (const ComparedRun& one : run.runs) {
        if (one.method != method) continue;
        line.x.push_back(x(run.cell));
        line.y.push_back(one.row.at("seconds").get<double>());
      }
    }
    lines.push_back(std::move(line));
  }
  return charts::lines(title, lines, {axis}, {"Total time (s)", true});
}

Reproduction tabulate(const std::string& name, const std::vector<Cell>& cells, CellRunner& runner,
                      bool curves) {
  std::vector<Run> kept;
  Json rows = run_cells(name, cells, runner, kept);
  Reproduction r = begin_reproduction(name, runner, sizes_of(cells));
  if (curves) add_curves(kept, r);
  const auto notes = notes_of(name, rows);
  add_table(r, std::move(rows), notes);
  return r;
}

}  // namespace

std::vector<Cell> cells_of_table_q13(bool quick) {
  return {
      {quick ? 8 : 13, 1, 3, paper_noise, start_name::spectral, {"projfgd", "acc-uni-pd-grad"}}};
}

std::vector<Cell> cells_of_table_rank(bool quick) {
  if (quick) return {{7, 2, 3, paper_noise}, {7, 5, 3, paper_noise}};
  return {{10, 5, 3, paper_noise}, {10, 20, 3, paper_noise}};
}

std::vector<Cell> cells_of_table_full(bool quick) {
  return grid(quick ? std::vector{6, 8} : std::vector{6, 8, 10, 12}, 0, start_name::spectral);
}

std::vector<Cell> cells_of_table_random(bool quick) {
  return grid({quick ? 8 : 10}, 0, start_name::random);
}

std::vector<Cell> cells_of_figure_convergence(bool quick) {
  std::vector<Cell> cells;
  if (quick) {
    cells = {{8, 1, 3, paper_noise}, {7, 5, 3, paper_noise}};
  } else {
    cells = {{12, 1, 3, paper_noise}, {12, 20, 3, paper_noise}};
  }
  for (Cell& cell : cells) cell.log_samples = false;  // their m is printed
  for (Cell& cell :
       grid(quick ? std::vector{6, 8} : std::vector{10, 12}, 0, start_name::spectral)) {
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::vector<Cell> cells_of_figure_timing(bool quick) {
  std::vector<Cell> cells;
  for (const int q : quick ? std::vector{5, 6, 8} : std::vector{6, 8, 10, 12}) {
    cells.push_back({q, 1, 6, 0});
  }
  for (const Index rank : quick ? std::vector<Index>{1, 2, 4} : std::vector<Index>{1, 5, 10, 20}) {
    if (rank > 1 || quick) cells.push_back({qubits_of_ranks(quick), rank, 6, 0});
  }
  return cells;
}

Reproduction reproduce_table(const std::string& name, const std::vector<Cell>& cells,
                             CellRunner& runner) {
  return tabulate(name, cells, runner, false);
}

Reproduction reproduce_table_and_curves(const std::string& name, const std::vector<Cell>& cells,
                                        CellRunner& runner) {
  return tabulate(name, cells, runner, true);
}

Reproduction reproduce_figure_convergence(const std::string& name, const std::vector<Cell>& cells,
                                          CellRunner& runner) {
  std::vector<Run> kept;
  Json rows = run_cells(name, cells, runner, kept);
  Reproduction r = begin_reproduction(name, runner, sizes_of(cells));
  auto notes = notes_of(name, rows);
  // The rate is that of a problem with one solution: C = 10, without noise.
  const auto sure = std::find_if(cells.begin(), cells.end(), [](const Cell& cell) {
    return cell.csam == 10 && cell.noise_norm == 0;
  });
  if (sure != cells.end()) {
    const double slope = runner.sparse_approx_sdp_slope(*sure, 400);
    r.record["sparse_approx_sdp_slope"] = slope;
    notes.push_back(fmt::format(
        "SparseApproxSDP with its published step 2/(k+2), {}: the slope of log error against log k "
        "is {:.2f}. Its curves here have the exact step, which is faster.",
        sure->label(), slope));
  }
  add_curves(kept, r);
  add_table(r, std::move(rows), notes);
  return r;
}

Reproduction reproduce_figure_timing(const std::string& name, const std::vector<Cell>& cells,
                                     CellRunner& runner) {
  std::vector<Run> kept;
  Json rows = run_cells("table-full", cells, runner, kept);
  Reproduction r = begin_reproduction(name, runner, sizes_of(cells));
  Section section{.title = "Total time", .legend = default_methods(false), .columns = Columns::two};
  section.blocks.emplace_back(time_chart(
      kept, "Against the number of qubits", "q", [](const Cell& c) { return c.qubits; },
      [](const Cell& c) { return c.rank == 1; }));
  section.blocks.emplace_back(time_chart(
      kept, "Against the rank", "r", [](const Cell& c) { return static_cast<double>(c.rank); },
      [q = qubits_of_ranks(runner.request().quick)](const Cell& c) { return c.qubits == q; }));
  r.page.sections.push_back(std::move(section));
  auto notes = notes_of(name, rows);
  notes.emplace_back(
      "The paper does not print the values of this figure; the times next to ours are from its "
      "large table.");
  add_table(r, std::move(rows), notes);
  return r;
}

}  // namespace projfgd

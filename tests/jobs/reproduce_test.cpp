#include "projfgd/jobs/reproduce.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include "jobs/reproduce/cells.hpp"
#include "jobs/reproduce/paper_figures.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

Reproduction run_one(const ReproduceRequest& request) {
  Reproduction found;
  reproduce(request, [&](const Reproduction& r) { found = r; });
  return found;
}

// The whole path of a table in its smallest cell, with counts instead of seconds.
TEST(Reproduce, ACellOfTheBigTable) {
  ReproduceRequest request;
  request.names = {"table-full"};
  request.quick = true;
  request.qubits = {6};
  request.csam = {10};
  request.time_limit = 1;
  const Reproduction r = run_one(request);
  const Json& rows = r.record["rows"];
  ASSERT_EQ(rows.size(), 4);
  const auto calls = [](const Json& row) {
    return row["forward_calls"].get<int>() + row["adjoint_calls"].get<int>();
  };
  for (const Json& row : rows) {
    const std::string method = row["method"];
    EXPECT_EQ(row["paper_error"], find_paper_figure("table-full", 6, 1, 10, method)->error);
    EXPECT_FALSE(row.contains("misprint"));
    if (method == "projfgd") {
      EXPECT_EQ(row["status"], "converged");
      EXPECT_LE(row["relative_error"].get<double>(), row["paper_error"].get<double>());
    } else {
      EXPECT_GT(calls(row), calls(rows[0])) << method;
      EXPECT_GE(row["equal_error"].get<double>(), row["relative_error"].get<double>());
    }
  }
  EXPECT_EQ(r.page.title, "Four methods without noise at q = 6, r = 1, C = 10");  // what was run
  EXPECT_EQ(r.page.sections.front().title, "Paper and ours");
  EXPECT_EQ(r.record["notes"][0],  // the cell is the paper's own
            "Quick run: these experiments have the sizes of the paper, others are left out.");
  const auto& header = r.summary.header;  // what was found stands before what it took
  EXPECT_LT(std::find(header.begin(), header.end(), "ProjFGD first"),
            std::find(header.begin(), header.end(), "status"));
  const test::TemporaryFolder folder;
  write_reproduction(folder.path(), r);
  EXPECT_EQ(read_json(folder / "table-full.json")["rows"].size(), 4);
  EXPECT_TRUE(read_file(folder / "table-full.csv").starts_with("qubits,rank,csam,noise,init,"));
  EXPECT_NE(read_file(folder / "table-full.html").find("error, paper"), std::string::npos);
}

// What was interrupted ends with the method that was running, and says so.
TEST(Reproduce, InterruptedIsSaid) {
  for (const char* name : {"table-full", "figure-phase"}) {
    std::atomic<int> interrupt = 0;
    int lines = 0;
    ReproduceRequest request;
    request.names = {name};
    request.quick = true;
    request.time_limit = 0.05;
    request.interrupt = [&] { return interrupt != 0; };
    request.progress = [&](const std::string&) { ++lines, interrupt = 1; };
    const Reproduction r = run_one(request);
    EXPECT_EQ(lines, 1) << name;
    EXPECT_TRUE(r.record["interrupted"].get<bool>()) << name;
    EXPECT_EQ(r.record["notes"][0].get<std::string>().find("Interrupted"), 0U) << name;
    EXPECT_NE(render(r.page).find("Interrupted"), std::string::npos) << name;
    std::set<std::string> parts;  // cells, or methods
    for (const Json& row : r.record["rows"]) {
      parts.insert(row.contains("csam") ? row["csam"].dump() : row["method"].dump());
    }
    EXPECT_EQ(parts.size(), 1U) << name;
  }
  ReproduceRequest whole;
  whole.names = {"figure-xi"};
  EXPECT_FALSE(run_one(whole).record.contains("interrupted"));
}

TEST(Reproduce, TheConstantsOfTheProof) {
  ReproduceRequest request;
  request.names = {"figure-xi"};
  const Reproduction r = run_one(request);
  const Json& record = r.record;
  const Json& last = record["rows"].back();  // xi = 1: 255/128 - ((129/128)^2 + 1)/64 - 1/5, and 0
  EXPECT_NEAR(last["gradient_constant"].get<double>(),
              255.0 / 128 - (std::pow(129.0 / 128, 2) + 1) / 64 - 0.2, 1e-12);
  EXPECT_NEAR(last["factor_constant"].get<double>(), 0, 1e-15);
  EXPECT_NEAR(record["gradient_constant_at_least_1_from"].get<double>(), 0.78, 0.01);
  // The constant that the paper calls nonnegative is not: the note says so, the table shows it.
  const double least = record["least_factor_constant"].get<double>();
  EXPECT_LT(least, 0);
  EXPECT_NE(record["notes"][1].get<std::string>().find("negative from xi"), std::string::npos);
  const auto shown = [&](const auto& row) { return row.back() == fmt::format("{:.3g}", least); };
  EXPECT_TRUE(std::any_of(r.summary.rows.begin(), r.summary.rows.end(), shown));
  // There are no figures of the paper here to put beside ours.
  EXPECT_EQ(render(r.page).find("Paper and ours"), std::string::npos);
  EXPECT_EQ(render(r.page).find("next to ours"), std::string::npos);
}

// The misprints are what we say they are.
TEST(Reproduce, MisprintedFiguresRepeatOthers) {
  for (const PaperFigure& f : paper_figures()) {
    const std::string where = f.where;
    if (*f.misprint == '\0') continue;
    const bool small = where == "table-rank" || f.csam == 6;
    const double c = where == "table-rank" ? (f.rank == 5 ? 3 : 6) : (small ? 6 : 3);
    const PaperFigure* other = find_paper_figure("table-full", small ? 6 : 8, 1, c, f.method);
    ASSERT_NE(other, nullptr);
    EXPECT_NEAR(f.seconds, other->seconds, 0.0051) << where << " " << f.method;
    if (where == "table-random") {
      EXPECT_EQ(f.error, other->error);
    }
  }
}

TEST(Reproduce, MeasuresTracesAsItSays) {
  std::vector<TraceRow> trace;
  for (Index k = 0; k <= 200; ++k) {
    const double error = k == 0 ? 1 : std::pow(static_cast<double>(k), -0.7);
    trace.push_back({k, 0.5 * static_cast<double>(k), error * error, 0, error});
  }
  EXPECT_NEAR(log_slope(trace, 10), -0.7, 1e-12);
  EXPECT_EQ(seconds_to_error(trace, std::pow(20.0, -0.7) * (1 + 1e-12)), 10);
  EXPECT_TRUE(std::isnan(seconds_to_error(trace, 1e-9)));
  trace[3].relative_error = std::nan("");  // not measured; the one before is 0.62
  EXPECT_EQ(seconds_to_error(trace, 0.5), 2);
}

// Against a rival that ends no better than it began, the first below the start is first.
TEST(Reproduce, EqualErrorsAreBetterThanTheStart) {
  const auto run = [](const char* method, double middle, double last, double start = 0.5) {
    ComparedRun out{method, Status::converged, {{"relative_error", last}}, {}};
    const double errors[] = {start, middle, last};
    for (Index k = 0; k < 3; ++k) {
      out.trace.push_back({k, 0.1 * static_cast<double>(k + 1), 0, 0, errors[k]});
    }
    return out;
  };
  const Cell cell{6, 1, 3, 0};
  const double rounded = 0.5 * (1 - 1e-15);
  const Json rows =
      cell_rows("", cell,
                {run("projfgd", 0.3, 0.1), run("worse", 0.7, 0.6), run("slow", 0.4, 0.2),
                 run("rounded", 0.7, 0.6, rounded), run("dips", 0.4, 0.6)});
  EXPECT_LT(rows[1]["equal_error"].get<double>(), 0.5);
  EXPECT_EQ(rows[1]["projfgd_seconds_to_equal_error"], 0.2);
  EXPECT_TRUE(std::isnan(rows[1]["seconds_to_equal_error"].get<double>()));
  EXPECT_TRUE(rows[1]["projfgd_first"].get<bool>());
  EXPECT_EQ(rows[2]["equal_error"], 0.2);
  EXPECT_FALSE(rows[2]["projfgd_first"].get<bool>());  // both reach it with their third row
  EXPECT_TRUE(std::isnan(rows[3]["seconds_to_equal_error"].get<double>()));
  EXPECT_TRUE(rows[3]["projfgd_first"].get<bool>());
  EXPECT_FALSE(rows[4]["projfgd_first"].get<bool>());  // below the start as soon as ProjFGD
}

// Errors of the size of rounding say nothing of who was first.
TEST(Reproduce, NobodyIsFirstFromAnExactStart) {
  const auto run = [](const char* method, double start, double last) {
    ComparedRun out{method, Status::converged, {{"relative_error", last}}, {}};
    out.trace = {{0, 0.1, 0, 0, start}, {1, 0.2, 0, 0, last}};
    return out;
  };
  const Cell all{4, 1, 6, 0};  // m = 4^4, fewer than 6 * 16 ln 16 = 266
  const Json exact = cell_rows("", all, {run("projfgd", 5e-16, 5e-16), run("rsvp", 5e-16, 2e-16)});
  EXPECT_FALSE(exact[1].contains("equal_error"));
  EXPECT_FALSE(exact[1].contains("projfgd_first"));
  EXPECT_EQ(exact[0]["samples"], "4^q");
  EXPECT_EQ(all.label(), "q = 4, r = 1, C = 6, m = 4^q");
  const Json good = cell_rows("", all, {run("projfgd", 0.5, 5e-14), run("rsvp", 0.5, 2e-16)});
  EXPECT_EQ(good[1]["equal_error"], 1e-12);
  EXPECT_EQ((Cell{5, 1, 6, 0}.formula()), std::string("C r n ln n"));  // the least of a quick run
}

// Where times alone are misprinted, the errors beside them hold.
TEST(Reproduce, ErrorsBesideMisprintedTimesAreJudged) {
  const auto judged = [](const char* where, Index rank, double csam) {
    const ComparedRun run{
        "projfgd", Status::converged, {{"relative_error", 1e-5}}, {{0, 0.1, 0, 0, 0.5}}};
    return cell_rows(where, {10, rank, csam, 0}, {run})[0];
  };
  const Json rank = judged("table-rank", 5, 3), random = judged("table-random", 1, 6);
  EXPECT_TRUE(rank["as_accurate"].get<bool>());
  EXPECT_NE(rank["misprint"].get<std::string>().find("times"), std::string::npos);
  EXPECT_FALSE(random.contains("as_accurate"));
}

// The paper's appendix has curves for the cells of two tables.
TEST(Reproduce, TablesWithCurvesAndTheMeaningOfTheirColumns) {
  for (const char* name : {"table-rank", "table-random"}) {
    ReproduceRequest request;
    request.names = {name};
    request.quick = true;
    request.csam = {3};
    request.time_limit = 0.02;
    const Reproduction r = run_one(request);
    const std::string page = render(r.page);
    for (const char* part :
         {"Error against iterations", "Error against time", "the curves of the appendix",
          "gap: upper bound on f(X) minus", "certified: yes", "equal error: larger of the",
          "seconds to it: time until", "ProjFGD to it: "}) {
      EXPECT_NE(page.find(part), std::string::npos) << name << ": " << part;
    }
    const auto& header = r.summary.header;
    EXPECT_EQ(std::count(header.begin(), header.end(), "certified"), 1) << name;
    const auto cells = name == std::string("table-rank") ? 2U : 1U;
    EXPECT_EQ(r.page.sections.size(), 1 + cells) << name;
    // Slips that are not of these cells are left out.
    EXPECT_EQ(page.find("n = 8096"), std::string::npos) << name;
    const bool start = r.record["notes"].dump().find("starts from the best") != std::string::npos;
    EXPECT_EQ(start, name == std::string("table-rank"));
  }
}

TEST(Reproduce, SamplesByTheNumbersOrByTheFormula) {
  Cell cell{6, 1, 3, 0};
  EXPECT_NEAR(cell.samples(), 3 * std::log(64.0), 1e-12);
  cell.log_samples = false;
  EXPECT_EQ(cell.samples(), 3);
  EXPECT_EQ(cell.measurements(), 192);
  cell.log_samples = true;
  cell.rank = 16;
  EXPECT_EQ(cell.samples(), 4);  // there are 64^2 strings, no more
  EXPECT_EQ(cell.measurements(), 64 * 64);
}

// The formula of the paper, but C r n for the panels whose number of measurements it prints.
TEST(Reproduce, SamplesAsThePaperSays) {
  const auto formulas = [](const char* name, const char* samples) {
    ReproduceRequest request;
    request.names = {name};
    request.samples = samples;
    request.quick = true;
    request.csam = {3};
    request.qubits = {8};
    request.time_limit = 0.02;
    const Reproduction r = run_one(request);
    std::set<std::string> found;
    for (const Json& row : r.record["rows"]) {
      found.insert(
          fmt::format("{} {}", row["samples"].get<std::string>(), row["measurements"].get<int>()));
    }
    return found;
  };
  using Found = std::set<std::string>;
  EXPECT_EQ(formulas("table-full", "linear"), Found{"C r n 768"});
  EXPECT_EQ(formulas("figure-convergence", "paper"), (Found{"C r n 768", "C r n ln n 4259"}));
  EXPECT_EQ(formulas("figure-convergence", "log"), Found{"C r n ln n 4259"});
  EXPECT_THROW(formulas("table-full", "many"), InputError);
}

TEST(Reproduce, AQuickRunSaysWhatThePaperHas) {
  ReproduceRequest request;
  request.names = {"table-q13"};
  request.quick = true;
  request.time_limit = 0.02;
  const std::string page = render(run_one(request).page);
  for (const char* note : {"Quick run: fewer qubits than in the paper.",
                           "The paper writes n = 8096 for q = 13; it is 8192."}) {
    EXPECT_NE(page.find(note), std::string::npos) << note;
  }
}

// A table without a cell that is wanted is left out, not an error, as long as there is another.
TEST(Reproduce, LeavesOutTablesWithoutAWantedCell) {
  ReproduceRequest request;
  request.names = {"table-q13", "table-full"};
  request.quick = true;
  request.qubits = {6};
  request.csam = {10};
  request.time_limit = 0.02;
  request.command = "projfgd reproduce --qubits 6";
  std::vector<std::string> done, lines;
  request.progress = [&](const std::string& line) { lines.push_back(line); };
  reproduce(request, [&](const Reproduction& r) {
    done.push_back(r.name);
    EXPECT_EQ(r.page.subtitle, request.command);
  });
  EXPECT_EQ(done, std::vector<std::string>{"table-full"});
  EXPECT_EQ(lines.front(),
            "table-q13: skipped, because no experiment has q = 6 and C = 10; try table-q13 with q "
            "= 8 and C "
            "= 3");
}

TEST(Reproduce, RefusesWhatIsNotThere) {
  ReproduceRequest request;
  request.names = {"table-13"};
  EXPECT_THROW(run_one(request), InputError);
  EXPECT_THROW(reproductions(request.names), InputError);
  request.names = {"table-full"};
  request.qubits = {7};
  EXPECT_THROW(run_one(request), InputError);
  EXPECT_THROWS_WITH(
      run_one(request), InputError,
      "reproduce: found no experiment with q = 7, expected some of table-full with q = 6, "
      "8, 10, 12 and C = 3, 6, 10");
  request.names = {"figure-convergence", "table-q13"};
  request.quick = true;
  request.csam = {4};
  EXPECT_THROWS_WITH(run_one(request), InputError,
                     "reproduce: found no experiment with q = 7 and C = 4, expected some of "
                     "figure-convergence with q = 7 and C = 3, or q = 6, 8 and C = 3, 6, 10; "
                     "table-q13 with q = 8 and C = 3");
}

// An option of cells is not passed over where nothing that is asked for has cells.
TEST(Reproduce, RefusesOptionsThatNothingUses) {
  ReproduceRequest none;
  none.names = {"figure-xi", "figure-phase"};
  ReproduceRequest qubits = none, csam = none, samples = none;
  qubits.qubits = {6};
  csam.csam = {3};
  samples.samples = "log";
  for (const auto& [option, request] :
       {std::pair("qubits", qubits), std::pair("csam", csam), std::pair("samples", samples)}) {
    EXPECT_THROWS_WITH(run_one(request), InputError,
                       fmt::format("--{}: found figure-xi, figure-phase, to which it does not "
                                   "apply, expected some of table-q13, table-rank,",
                                   option));
  }
  qubits.names = {"figure-xi", "table-q13"};  // which has no such cell
  EXPECT_THROWS_WITH(run_one(qubits), InputError,
                     "reproduce: found no experiment with q = 6, expected");
}

}  // namespace
}  // namespace projfgd

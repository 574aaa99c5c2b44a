// Runs that are stopped again and again, and resumed each time, end with the same bits as a run
// that was never stopped: every job, every method, wherever the stop comes.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/jobs/compare.hpp"
#include "projfgd/jobs/journal.hpp"
#include "projfgd/jobs/matrix_problem.hpp"
#include "projfgd/jobs/methods.hpp"
#include "projfgd/jobs/phase.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/jobs/simulate_ptychography.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/jobs/tomography.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

using test::TemporaryFolder;

/// Everything that came out but the clock.
std::string timeless(const std::vector<TraceRow>& trace) {
  std::string text;
  for (TraceRow row : trace) {
    row.seconds = 0;
    text += trace_csv({row});
  }
  return text;
}

Json timeless(Json summary) {
  for (const char* key : {"seconds", "setup_seconds"}) summary.erase(key);
  for (Json& value : summary) {
    if (value.is_object()) value = timeless(value);
  }
  return summary;
}

std::string timeless(const RunRecord& record) {
  std::string text = json_text(timeless(record.summary)) + timeless(record.trace);
  text += npy_bytes(record.factor);
  for (const auto& [name, bytes] : record.files) text += name + bytes;
  return text;
}

std::string timeless(const Comparison& comparison) {
  std::string text;
  for (const ComparedRun& run : comparison.runs) {
    text += json_text(timeless(run.row)) + timeless(run.trace);
  }
  return text;
}

enum class Stop { by_user, by_kill };

struct Killed {};

template <class Out>
struct Resumed {
  Out out;
  int processes;  ///< that it took
};

/// Runs a job that is stopped after every `rows` iterations, and resumes it until it is complete. A
/// kill is an exception out of the middle of an iteration, with a checkpoint after every one.
template <class Job>
auto run_in_parts(const Job& job, RunSettings settings, Index rows, Stop stop) {
  const TemporaryFolder folder;
  for (int processes = 1;; ++processes) {
    const double every = stop == Stop::by_kill ? 1e-9 : 1e9;
    Journal journal(folder.path(), every, {});
    journal.resume();
    Index seen = 0;
    settings.journal = &journal;
    settings.interrupt = journal.watched([&] { return stop == Stop::by_user && seen > rows; });
    settings.progress = [&](const TraceRow&) {
      if (++seen > rows && stop == Stop::by_kill) throw Killed();
    };
    try {
      auto out = job(settings);
      if (seen <= rows) {
        journal.finish(true);
        EXPECT_FALSE(journal.has_file());
        return Resumed<decltype(out)>{std::move(out), processes};
      }
    } catch (const Killed&) {
    }
    if (processes > 1000) throw std::runtime_error("the run gets nowhere");
  }
}

template <class Job>
void expect_same_bits(const Job& job, const RunSettings& settings, std::vector<Index> parts,
                      int least_processes = 3) {
  const std::string whole = timeless(job(settings));
  for (const Index rows : parts) {
    for (const Stop stop : {Stop::by_user, Stop::by_kill}) {
      SCOPED_TRACE(testing::Message()
                   << rows << (stop == Stop::by_kill ? " rows, killed" : " rows, interrupted"));
      const auto resumed = run_in_parts(job, settings, rows, stop);
      EXPECT_TRUE(timeless(resumed.out) == whole);
      EXPECT_GE(resumed.processes, least_processes);
    }
  }
}

class Resume : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(Resume, TomographyThatChoosesItsRank) {
  simulate_pauli({.qubits = 3, .rank = 2, .csam = 3, .noise_norm = 0.02, .seed = 3},
                 folder_.path());
  TomographyInput input;
  input.data = {folder_ / "pauli.csv"};
  RunSettings settings;
  settings.truth = folder_ / "truth.npy";
  const auto job = [&](const RunSettings& s) { return run_tomography(input, s); };
  expect_same_bits(job, settings, {1, 7});
}

TEST_F(Resume, TomographyThatChoosesItsModel) {
  simulate_counts({.qubits = 2, .shots = 200, .depolarizing = 0.2, .seed = 2}, folder_.path());
  TomographyInput input;
  input.data = {folder_ / "counts.json"};
  const auto job = [&](const RunSettings& s) { return run_tomography(input, s); };
  expect_same_bits(job, {}, {3, 20});
}

// A signal may come at any moment, and in a run that is resumed before it is where it was: in work
// that is repeated because it is not kept.
TEST_F(Resume, StopsBeforeTheCheckpointIsReachedAgain) {
  std::mt19937_64 random(5);
  for (const std::uint64_t seed : {1, 2, 3}) {
    simulate_counts({.qubits = 3, .shots = 300, .depolarizing = 0.1, .seed = seed}, folder_.path());
    TomographyInput input;
    input.data = {folder_ / "counts.json"};
    input.errors = "bootstrap:20";
    RunSettings settings;
    std::uint64_t questions = 0;
    settings.interrupt = [&] {
      ++questions;
      return false;
    };
    const std::string whole = timeless(run_tomography(input, settings));
    for (int chain = 0; chain < 8; ++chain) {
      const TemporaryFolder folder;
      bool interrupted = true;
      for (int process = 0; interrupted; ++process) {
        Journal journal(folder.path(), 1e9, {});
        journal.resume();
        settings.journal = &journal;
        std::uint64_t left = process < 8 ? random() % questions : 10 * questions;
        interrupted = false;
        settings.interrupt = journal.watched([&] {
          if (left > 0) --left;
          interrupted = left == 0;
          return interrupted;
        });
        try {
          const RunRecord record = run_tomography(input, settings);
          EXPECT_TRUE(interrupted || timeless(record) == whole) << seed << " " << chain;
        } catch (const InterruptedError&) {  // before there was anything to write
          EXPECT_TRUE(interrupted) << seed << " " << chain;
        }
      }
    }
  }
}

TEST_F(Resume, EveryMethodOfTomography) {
  simulate_pauli({.qubits = 3, .rank = 1, .csam = 5, .noise_norm = 0.01, .seed = 3},
                 folder_.path());
  TomographyInput input;
  input.data = {folder_ / "pauli.csv"};
  const auto job = [&](const RunSettings& s) { return run_tomography(input, s); };
  for (const std::string& method : method_names()) {
    SCOPED_TRACE(method);
    RunSettings settings;
    settings.method = method;
    settings.rank = 1;
    settings.options.max_iterations = 40;
    expect_same_bits(job, settings, {3});
  }
}

TEST_F(Resume, MatrixProblems) {
  write_file(folder_ / "entries.csv",
             "row,column,value\n0,0,4\n1,0,2\n1,1,3\n2,1,1\n2,2,5\n3,0,1\n3,3,2\n");
  RunSettings settings;
  settings.rank = 2;
  settings.options.tolerance = 1e-10;
  const auto job = [&](const RunSettings& s) {
    return run_matrix_problem(folder_ / "entries.csv", s);
  };
  expect_same_bits(job, settings, {2});
}

TEST_F(Resume, EveryMethodOfPhaseRetrieval) {
  simulate_cdp({.height = 8, .width = 6, .patterns = 5, .stars = 0.3, .seed = 2}, folder_ / "data");
  const auto job = [&](const RunSettings& s) { return run_phase({.data = folder_ / "data"}, s); };
  for (const std::string& method : phase_method_names()) {
    for (const char* constraint : {"none", "l1-ball"}) {
      SCOPED_TRACE(method + " " + constraint);
      RunSettings settings = phase_settings();
      settings.method = method;
      settings.constraint = constraint;
      settings.options.max_iterations = 24;
      settings.options.tolerance = 1e-12;
      expect_same_bits(job, settings, {5}, 2);
    }
  }
}

TEST_F(Resume, ASearchForAnImageThatNoiseHides) {
  simulate_cdp({.height = 12, .width = 8, .patterns = 3, .stars = 0.5, .snr = 15, .seed = 5},
               folder_ / "data");
  const auto job = [&](const RunSettings& s) { return run_phase({.data = folder_ / "data"}, s); };
  RunSettings settings = phase_settings();
  settings.options.max_iterations = 600;
  expect_same_bits(job, settings, {23, 101});
}

TEST_F(Resume, Ptychography) {
  simulate_ptychography({.height = 40, .width = 40, .probe_size = 16}, folder_ / "scan");
  const auto job = [&](const RunSettings& s) {
    return run_phase({.data = folder_ / "scan", .refine_probe = true}, s);
  };
  RunSettings settings = phase_settings();
  settings.options.max_iterations = 30;
  expect_same_bits(job, settings, {2, 9});
}

TEST_F(Resume, Comparisons) {
  simulate_pauli({.qubits = 3, .rank = 1, .csam = 5, .noise_norm = 0.01, .seed = 3},
                 folder_.path());
  CompareInput input;
  input.data = {folder_ / "pauli.csv"};
  RunSettings settings;
  settings.options.max_iterations = 30;
  const auto job = [&](const RunSettings& s) { return run_comparison(input, s); };
  expect_same_bits(job, settings, {4});
}

// What each method costs is told apart from what the methods before it cost.
TEST_F(Resume, ComparisonsOfImages) {
  simulate_cdp({.height = 9, .width = 8, .patterns = 5, .seed = 4}, folder_ / "data");
  CompareInput input;
  input.data = {folder_ / "data"};
  RunSettings settings = phase_settings();
  settings.options.max_iterations = 20;
  const auto job = [&](const RunSettings& s) { return run_comparison(input, s); };
  expect_same_bits(job, settings, {3});
}

/// The limits may be others when a run is resumed, and then it ends where they say.
TEST_F(Resume, ALimitIsTheStateOfALongerRun) {
  simulate_pauli({.qubits = 3, .rank = 2, .csam = 3, .noise_norm = 0.02, .seed = 3},
                 folder_.path());
  TomographyInput input;
  input.data = {folder_ / "pauli.csv"};
  const std::string whole = timeless(run_tomography(input, {}));
  const TemporaryFolder results;
  RunSettings settings;
  for (const Index most : {3, 3, 8, 20}) {
    Journal journal(results.path(), 60, {});
    journal.resume();
    settings.journal = &journal;
    settings.options.max_iterations = most;
    const RunRecord record = run_tomography(input, settings);
    EXPECT_EQ(record.status, Status::iteration_limit);
    EXPECT_EQ(record.summary["iterations"], most);
    EXPECT_TRUE(journal.has_file());
  }
  Journal journal(results.path(), 60, {});
  journal.resume();
  settings.journal = &journal;
  settings.options = {};
  EXPECT_EQ(timeless(run_tomography(input, settings)), whole);
}

TEST_F(Resume, OtherSettingsAndDataAreRefused) {
  simulate_pauli({.qubits = 2, .rank = 1, .csam = 3, .seed = 3}, folder_.path());
  TomographyInput input;
  input.data = {folder_ / "pauli.csv"};
  const TemporaryFolder results;
  const auto run = [&](const NamedSettings& named) {
    Journal journal(results.path(), 60, named);
    journal.resume();
    RunSettings settings;
    settings.journal = &journal;
    settings.options.max_iterations = 2;
    run_tomography(input, settings);
  };
  const auto refusal = [&](const NamedSettings& named) -> std::string {
    try {
      run(named);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  run({{"--rank", "1"}, {"--loss", "auto"}});
  EXPECT_EQ(refusal({{"--rank", "1"}, {"--loss", "auto"}}), "accepted");
  const std::string other = refusal({{"--rank", "2"}, {"--loss", "auto"}});
  EXPECT_NE(other.find("found the checkpoint of a run with --rank 1, expected --rank 2"),
            std::string::npos)
      << other;
  const std::string missing = refusal({{"--rank", "1"}});
  EXPECT_NE(missing.find("with --loss auto, expected no --loss"), std::string::npos) << missing;
  simulate_pauli({.qubits = 2, .rank = 1, .csam = 3, .seed = 4}, folder_.path());
  const std::string data = refusal({{"--rank", "1"}, {"--loss", "auto"}});
  EXPECT_NE(data.find("pauli.csv: found a file that changed"), std::string::npos) << data;
}

}  // namespace
}  // namespace projfgd

#include "projfgd/jobs/matrix_problem.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "support/matrix_problem_files.hpp"

namespace projfgd {
namespace {

using test::ProblemFiles;
using test::TemporaryFolder;

constexpr double infinity = std::numeric_limits<double>::infinity();

RunSettings exact() {
  RunSettings settings;
  settings.options.tolerance = 1e-13;
  settings.options.max_iterations = 3000;
  return settings;
}

template <class S>
void expect_recovery(const std::string& type) {
  const ProblemFiles<S> files(type);
  const RunRecord record = run_matrix_problem(files.description(), exact());
  EXPECT_EQ(record.status, Status::converged) << type;
  EXPECT_LE(record.summary["relative_error"].get<double>(), 1e-9) << type;
  EXPECT_EQ(record.summary["dimension"], files.n);
  EXPECT_EQ(record.factor.shape, (std::vector<Index>{files.n, files.rank}));
}

TEST(MatrixProblem, EveryOperatorRecoversTheTruth) {
  for (const char* type : {"entries", "dense", "rank-one", "identity"}) {
    expect_recovery<double>(type);
    expect_recovery<std::complex<double>>(type);
  }
}

TEST(MatrixProblem, SinglePrecisionReachesItsOwnFloor) {
  const ProblemFiles<double> files("dense");
  RunSettings settings = exact();
  settings.single_precision = true;
  const RunRecord record = run_matrix_problem(files.description(), settings);
  EXPECT_EQ(record.status, Status::converged);
  EXPECT_LE(record.summary["relative_error"].get<double>(), 1e-4);
  EXPECT_EQ(record.summary["precision"], "single");
}

TEST(MatrixProblem, TheTruthMayBeXItself) {
  const ProblemFiles<std::complex<double>> files("dense");
  const RunRecord by_factor = run_matrix_problem(files.description(), exact());
  EXPECT_EQ(by_factor.summary["truth_is"], "factor");
  RunSettings settings = exact();
  settings.truth = files.folder / "x.npy";
  const auto u = to_matrix<std::complex<double>>(read_npy(files.folder / "truth.npy"), "truth");
  Matrix<std::complex<double>> x = u * u.adjoint();
  write_npy(settings.truth, to_array(x));
  const RunRecord by_matrix = run_matrix_problem(files.description(), settings);
  EXPECT_EQ(by_matrix.summary["truth_is"], "matrix");
  EXPECT_LE(by_matrix.summary["relative_error"].get<double>(), 1e-7);  // roots of rounding errors
  // A square factor is one as long as it is not Hermitian, and no X has a negative eigenvalue.
  x(0, 1) += 1.0;
  write_npy(settings.truth, to_array(x));
  EXPECT_EQ(run_matrix_problem(files.description(), settings).summary["truth_is"], "factor");
  write_npy(settings.truth, to_array(Matrix<double>(-Matrix<double>::Identity(files.n, files.n))));
  EXPECT_THROW(run_matrix_problem(files.description(), settings), InputError);
}

TEST(MatrixProblem, SaysHowManyRowsNoEntryDetermines) {
  const TemporaryFolder folder;
  RunSettings settings;
  settings.rank = 1;
  const auto warned = [&](const std::string& text) {
    write_file(folder / "entries.csv", "row,column,value\n" + text);
    const Json summary = run_matrix_problem(folder / "entries.csv", settings).summary;
    return summary.value("warnings", Json::array()).dump();
  };
  EXPECT_EQ(warned("0,0,1\n0,1,2\n1,1,4\n1,2,2\n"), "[]");  // a row or a column is enough
  EXPECT_NE(warned("0,0,1\n0,3,2\n3,3,4\n").find("2 of 4 rows have no known entry"),
            std::string::npos);
}

TEST(MatrixProblem, WeightsChooseWhichDataCount) {
  const ProblemFiles<double> files("dense");
  Array y = read_npy(files.folder / "data.npy");
  Array weights{y.shape, false, std::vector<double>(y.values.size(), 2.0)};
  y.values[0] += 100;  // a wild point
  weights.values[0] = 0;
  write_npy(files.folder / "data.npy", y);
  write_npy(files.folder / "weights.npy", weights);
  Json loss = {{"type", "weighted-least-squares"}, {"weights", "weights.npy"}};
  const RunRecord record = run_matrix_problem(files.description({{"loss", loss}}), exact());
  EXPECT_LE(record.summary["relative_error"].get<double>(), 1e-9);
}

TEST(MatrixProblem, PoissonFitsExactMeans) {
  const ProblemFiles<double> files("rank-one");
  Array y = read_npy(files.folder / "data.npy");
  Array exposures{y.shape, false, std::vector<double>(y.values.size())};
  for (std::size_t k = 0; k < y.values.size(); ++k) {
    exposures.values[k] = 1 + static_cast<double>(k % 3);
    y.values[k] *= exposures.values[k];
  }
  write_npy(files.folder / "data.npy", y);
  write_npy(files.folder / "exposures.npy", exposures);
  Json loss = {{"type", "poisson"}, {"exposures", "exposures.npy"}};
  const RunRecord record = run_matrix_problem(files.description({{"loss", loss}}), exact());
  EXPECT_LE(record.summary["relative_error"].get<double>(), 1e-6);
}

TEST(MatrixProblem, TheRelativeMisfitIsThatOfTheData) {
  const ProblemFiles<double> files("identity");
  RunSettings settings = exact();
  settings.rank = 1;  // of a matrix of rank 2: the best is its leading eigenpair
  const RunRecord record = run_matrix_problem(files.description(), settings);
  const Matrix<double> m = to_matrix<double>(read_npy(files.folder / "data.npy"), "m");
  const Matrix<double> u = to_matrix<double>(record.factor, "u");
  EXPECT_NEAR(record.summary["relative_misfit"].get<double>(),
              (u * u.transpose() - m).norm() / m.norm(), 1e-12);
  const ProblemFiles<double> counts("rank-one");
  const Json poisson = {{"loss", "poisson"}};
  EXPECT_FALSE(
      run_matrix_problem(counts.description(poisson), exact()).summary.contains("relative_misfit"));
}

TEST(MatrixProblem, LogisticStaysInTheBallAndBeatsItsStart) {
  const ProblemFiles<double> files("dense");
  Array y = read_npy(files.folder / "data.npy");
  for (double& value : y.values) value = value > 0 ? 1 : -1;
  write_npy(files.folder / "data.npy", y);
  const Json more = {{"loss", {{"type", "logistic"}, {"noise_scale", 0.5}}},
                     {"constraint", {{"type", "frobenius-ball"}, {"radius", 2}}}};
  const RunRecord record = run_matrix_problem(files.description(more), exact());
  EXPECT_LE(record.summary["trace"].get<double>(), 4 * (1 + 1e-12));
  const double at_zero = static_cast<double>(y.values.size()) * std::log(2.0);
  EXPECT_LT(record.summary["objective"].get<double>(), at_zero);
}

TEST(MatrixProblem, EverySetKeepsItsPromise) {
  const ProblemFiles<double> files("dense");
  write_npy(files.folder / "mask.npy", Array{{files.n}, false, {1, 1, 0, 1, 1, 0, 1, 1}});
  for (const std::string& name : constraint_names()) {
    Json set = {{"type", name}};
    if (name == "support") set["mask"] = "mask.npy";
    if (name.ends_with("ball") || name.ends_with("sphere") || name.ends_with("l1")) {
      set["radius"] = 0.7;
    }
    const RunRecord record = run_matrix_problem(files.description({{"constraint", set}}), exact());
    const Matrix<double> u = to_matrix<double>(record.factor, "u");
    ConstraintSpec spec{name, 0.7, files.folder / "mask.npy"};
    Matrix<double> projected = u;
    InputFiles inputs;
    make_constraint<double>(with_mask(spec, inputs), files.n).project(projected);
    EXPECT_LE((u - projected).norm(), 1e-13 * (1 + u.norm())) << name;
  }
  // The short spelling finds the mask beside the description too.
  const auto short_form = files.description({{"constraint", "support:mask.npy"}});
  const RunRecord record = run_matrix_problem(short_form, exact());
  EXPECT_EQ(to_matrix<double>(record.factor, "u").row(2).norm(), 0);
  std::string all;
  for (const char* name : {"problem.json", "matrices.npy", "data.npy", "mask.npy"}) {
    all += read_file(files.folder / name);
  }
  EXPECT_EQ(record.summary["input_sha256"], sha256(all));
  EXPECT_EQ(parse_constraint("frobenius-ball:2").trace_bound(), 4);
  EXPECT_EQ(parse_constraint("none").trace_bound(), infinity);
}

TEST(MatrixProblem, WrongSetsAreRefused) {
  EXPECT_THROWS_WITH(parse_constraint("ball"), InputError, "expected none, ");
  EXPECT_THROWS_WITH(parse_constraint("none:1"), InputError, "expected nothing");
  for (const char* text : {"l1-ball", "l1-ball:", "l1-ball:x", "l1-ball:-1", "l1-ball:nan"}) {
    EXPECT_THROW(make_constraint<double>(parse_constraint(text), 3), InputError) << text;
  }
  EXPECT_THROW(make_constraint<double>(parse_constraint("support"), 3), InputError);
}

TEST(MatrixProblem, StartsFromAFactorInAFile) {
  const ProblemFiles<std::complex<double>> files("rank-one");
  RunSettings settings = exact();
  settings.init = (files.folder / "truth.npy").string();
  const RunRecord record = run_matrix_problem(files.description(), settings);
  EXPECT_LE(record.summary["iterations"].get<Index>(), 2);
  EXPECT_LE(record.summary["relative_error"].get<double>(), 1e-12);
  settings.rank = files.rank + 1;
  EXPECT_THROWS_WITH(run_matrix_problem(files.description(), settings), InputError, "columns");
  settings.init = "random";
  EXPECT_NO_THROW(run_matrix_problem(files.description(), settings));
}

TEST(MatrixProblem, ProgressTraceAndInterrupt) {
  const ProblemFiles<double> files("dense");
  std::atomic<int> interrupt = 0;
  Index seen = 0;
  RunSettings settings = exact();
  settings.interrupt = [&] { return interrupt != 0; };
  settings.progress = [&](const TraceRow& row) {
    EXPECT_EQ(row.iteration, seen++);
    if (row.iteration == 3) interrupt = 2;
  };
  const RunRecord record = run_matrix_problem(files.description(), settings);
  EXPECT_EQ(record.status, Status::interrupted);
  EXPECT_EQ(record.summary["status"], "interrupted");
  ASSERT_EQ(record.trace.size(), 4U);
  EXPECT_LT(record.trace[3].relative_error, record.trace[0].relative_error);
  EXPECT_TRUE(trace_csv(record.trace)
                  .starts_with("iteration,seconds,objective,relative_change,relative_error\n0,"));
}

TEST(MatrixProblem, SummaryHasTheAgreedKeysAndHash) {
  const ProblemFiles<double> files("identity");
  RunSettings settings;
  settings.threads = 1;
  settings.options.seed = 5;
  const RunRecord record = run_matrix_problem(files.description(), settings);
  for (const char* key :
       {"status", "method", "iterations", "seconds", "setup_seconds", "objective", "rank",
        "dimension", "measurements", "trace", "forward_calls", "adjoint_calls", "seed", "threads",
        "version", "input_sha256", "relative_error"}) {
    EXPECT_TRUE(record.summary.contains(key)) << key;
  }
  EXPECT_EQ(record.summary["seed"], 5);
  EXPECT_EQ(record.summary["threads"], 1);
  EXPECT_EQ(record.summary["input_sha256"], sha256(read_file(files.folder / "problem.json") +
                                                   read_file(files.folder / "data.npy")));
  EXPECT_GT(record.summary["forward_calls"].get<Index>(), 0);
}

TEST(MatrixProblem, EveryFileCutAnywhereIsRefused) {
  for (const char* type : {"entries", "dense", "rank-one", "identity"}) {
    const ProblemFiles<double> files(type);
    const auto description = files.description();
    for (const auto& entry : std::filesystem::directory_iterator(files.folder.path())) {
      const std::string whole = read_file(entry.path());
      const std::size_t stride = std::max<std::size_t>(1, whole.size() / 500);
      for (std::size_t length = 0; length + 1 < whole.size(); length += stride) {
        files.folder.file(entry.path().filename().string(), whole.substr(0, length));
        ASSERT_THROW(run_matrix_problem(description, exact()), InputError)
            << entry.path() << " cut to " << length;
      }
      files.folder.file(entry.path().filename().string(), whole);
    }
  }
}

TEST(MatrixProblem, NotFiniteAnywhereIsRefusedByName) {
  for (const char* type : {"entries", "dense", "rank-one", "identity"}) {
    const ProblemFiles<std::complex<double>> files(type);
    const auto description = files.description();
    for (const auto& entry : std::filesystem::directory_iterator(files.folder.path())) {
      if (entry.path().extension() != ".npy") continue;
      const std::string name = entry.path().filename().string(), good = read_file(entry.path());
      const std::size_t count = read_npy(entry.path()).values.size();
      const std::size_t stride = std::max<std::size_t>(1, count / 20);
      for (std::size_t k = 0; k < count; k += stride) {
        for (const double bad : {std::nan(""), infinity, -infinity, 1e308}) {
          std::string bytes = good;
          std::memcpy(bytes.data() + bytes.size() - 8 * (count - k), &bad, sizeof(bad));
          files.folder.file(name, bytes);
          EXPECT_THROWS_WITH(run_matrix_problem(description, exact()), InputError,
                             name + ": entry [");
        }
      }
      files.folder.file(name, good);
    }
  }
}

TEST(MatrixProblem, WrongDescriptionsAreRefused) {
  const ProblemFiles<double> files("dense");
  const auto refused = [&](const Json& more) {
    EXPECT_THROW(run_matrix_problem(files.description(more), exact()), InputError) << more;
  };
  refused({{"rank", 0}});
  refused({{"rank", files.n + 1}});
  refused({{"rank", 1.5}});
  refused({{"dimension", 0}});
  refused({{"dimension", files.n + 1}});
  refused({{"field", "quaternion"}});
  refused({{"loss", "hinge"}});
  refused({{"loss", {{"type", "logistic"}}}});  // the data are not -1 or 1
  refused({{"colour", "red"}});
  refused({{"operator", {{"type", "sparse"}}}});
  refused({{"operator", {{"type", "dense"}}}});
  refused({{"constraint", {{"type", "l1-ball"}}}});
  refused({{"constraint", {{"type", "l1-ball"}, {"radius", 0}}}});
  const Json both = {{"type", "entries"}, {"file", "a.csv"}, {"places", "b.npy"}};
  EXPECT_THROWS_WITH(run_matrix_problem(files.description({{"operator", both}}), exact()),
                     InputError, "found \"file\" and \"places\"");
  EXPECT_THROW(run_matrix_problem(files.description({{"data", "none.npy"}}), exact()), FileError);
  EXPECT_THROW(run_matrix_problem(files.description({{"dimension", 2000000000}, {"rank", 1000000}}),
                                  exact()),
               ResourceError);
}

TEST(MatrixProblem, TheScaleOfTheDataDoesNotMatter) {
  const ProblemFiles<double> files("dense");
  const Array y = read_npy(files.folder / "data.npy");
  for (const double scale : {1e-12, 1e12}) {
    Array scaled = y;
    for (double& value : scaled.values) value *= scale;
    write_npy(files.folder / "data.npy", scaled);
    Array truth = read_npy(files.folder / "truth.npy");
    for (double& value : truth.values) value *= std::sqrt(scale);
    write_npy(files.folder / "scaled.npy", truth);
    const RunRecord record =
        run_matrix_problem(files.description({{"truth", "scaled.npy"}}), exact());
    EXPECT_LE(record.summary["relative_error"].get<double>(), 1e-9) << scale;
  }
}

TEST(MatrixProblem, ZerosAreNoTruthAndNoWeights) {
  const ProblemFiles<double> files("dense");
  const Array data = read_npy(files.folder / "data.npy");
  write_npy(files.folder / "w.npy", Array{data.shape, false, std::vector<double>(data.size())});
  EXPECT_THROWS_WITH(
      run_matrix_problem(
          files.description({{"loss", {{"type", "weighted-least-squares"}, {"weights", "w.npy"}}}}),
          {}),
      InputError, "w.npy: found only zeros");
  write_npy(files.folder / "truth.npy", to_array(Matrix<double>(Matrix<double>::Zero(8, 2))));
  EXPECT_THROWS_WITH(run_matrix_problem(files.description(), {}), InputError,
                     "truth.npy: found only zeros");
}

TEST(MatrixProblem, SaysWhatAMethodDoesNotUse) {
  using ::testing::HasSubstr;
  const ProblemFiles<double> files("dense");
  const auto warnings = [&](const char* method, const Json& more, const char* step = "auto") {
    RunSettings settings;
    settings.method = method;
    set_step(step, settings.options);
    settings.options.max_iterations = 20;
    const RunRecord record = run_matrix_problem(files.description(more), settings);
    return record.summary.value("warnings", Json::array()).dump();
  };
  const Json none = Json::object(), ball = {{"constraint", "frobenius-ball:2"}};
  for (const char* method : {"fgd", "nuclear-norm"}) {
    EXPECT_THAT(
        warnings(method, ball),
        HasSubstr("does not support constraints; --constraint frobenius-ball:2 was ignored"));
    EXPECT_THAT(warnings(method, none), Not(HasSubstr("does not support constraints")));
  }
  EXPECT_EQ(warnings("projfgd", ball, "0.001"), "[]");
  EXPECT_THAT(warnings("rsvp", ball, "theory"), HasSubstr("--step was ignored"));
  EXPECT_THAT(warnings("sparse-approx-sdp", ball, "0.1"), HasSubstr("--step was ignored"));
  EXPECT_THAT(warnings("sparse-approx-sdp", ball, "theory"), Not(HasSubstr("--step")));
  EXPECT_THAT(warnings("sparse-approx-sdp", ball), HasSubstr("--rank sets only that of its start"));
  EXPECT_EQ(warnings("svp", ball), "[]");
}

TEST(MatrixProblem, FgdRefusesASetItWouldLeave) {
  const ProblemFiles<double> files("dense");
  RunSettings settings;
  settings.method = "fgd";
  settings.constraint = "l1-ball:3";
  EXPECT_THROWS_WITH(run_matrix_problem(files.description(), settings), InputError,
                     "fgd supports no constraint");
}

}  // namespace
}  // namespace projfgd

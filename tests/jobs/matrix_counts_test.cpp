// Counts and bits of a low-rank matrix, through `projfgd solve`.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "projfgd/jobs/matrix_problem.hpp"
#include "support/matrix_problem_files.hpp"

namespace projfgd {
namespace {

using test::TemporaryFolder;

/// Counts of mean 50 p, drawn once for all.
Array counts_of(const Vector<double>& p, std::uint64_t seed) {
  Array counts{{p.size()}, false, {}};
  std::mt19937_64 random(seed);
  for (Index i = 0; i < p.size(); ++i) {
    counts.values.push_back(std::poisson_distribution<int>(50 * p[i])(random));
  }
  return counts;
}

// Between the signs of a_i^T z the likelihood is infinite: one column cannot pass, two can.
TEST(MatrixProblem, CountsOfRealVectorsAreFitted) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const TemporaryFolder folder;
    const Matrix<double> a = test::random_factor<double>(200, 20, seed);
    const Matrix<double> z = test::random_factor<double>(20, 1, 100 + seed);
    write_npy(folder / "a.npy", to_array(a));
    write_npy(folder / "y.npy", counts_of((a * z).cwiseAbs2(), seed));
    write_npy(folder / "z.npy", to_array(z));
    write_npy(folder / "e.npy", Array{{200}, false, std::vector<double>(200, 50)});
    folder.file("p.json", R"({"dimension": 20, "field": "real", "rank": 1, "data": "y.npy",
      "operator": {"type": "rank-one", "vectors": "a.npy"}, "truth": "z.npy",
      "loss": {"type": "poisson", "exposures": "e.npy"}})");
    const Json summary = run_matrix_problem(folder / "p.json", {}).summary;
    EXPECT_EQ(summary["status"], "converged") << seed;
    EXPECT_LE(summary["relative_error"].get<double>(), 0.1) << seed;
    EXPECT_LE(summary["objective"].get<double>(), 200) << seed;  // half of each is expected
  }
}

// Where counts were seen X must be above 0, which projections of a start need not be.
TEST(MatrixProblem, CountsOfNonnegativeEntriesAreFitted) {
  for (const Index rank : {1, 3}) {
    const TemporaryFolder folder;
    const Matrix<double> u = test::random_factor<double>(12, rank, 7).cwiseAbs();
    std::vector<double> places;
    Vector<double> p(12 * 13 / 2);
    Index k = 0;
    for (Index i = 0; i < 12; ++i) {
      for (Index j = i; j < 12; ++j) {
        places.insert(places.end(), {static_cast<double>(i), static_cast<double>(j)});
        p[k++] = u.row(i).dot(u.row(j));
      }
    }
    write_npy(folder / "places.npy", Array{{k, 2}, false, places});
    write_npy(folder / "y.npy", counts_of(p, 3));
    write_npy(folder / "e.npy", Array{{k}, false, std::vector<double>(k, 50)});
    for (const char* set : {"none", "nonnegative"}) {
      folder.file("p.json", fmt::format(R"({{"dimension": 12, "field": "real", "rank": {},
        "data": "y.npy", "operator": {{"type": "entries", "places": "places.npy"}},
        "constraint": "{}", "loss": {{"type": "poisson", "exposures": "e.npy"}}}})",
                                        rank, set));
      const Json summary = run_matrix_problem(folder / "p.json", {}).summary;
      EXPECT_EQ(summary["status"], "converged") << set << rank;
      EXPECT_GE(summary["objective"].get<double>(), 0) << set << rank;
      EXPECT_LE(summary["objective"].get<double>(), static_cast<double>(k)) << set << rank;
    }
  }
}

TEST(MatrixProblem, SaysWhatBitsLeaveOpen) {
  const TemporaryFolder folder;
  // Both bits of one number: they may differ.
  write_npy(folder / "places.npy", Array{{4, 2}, false, {0, 1, 1, 0, 0, 0, 1, 1}});
  const auto warned = [&](std::vector<double> bits) {
    write_npy(folder / "y.npy", Array{{4}, false, std::move(bits)});
    folder.file("p.json", R"({"dimension": 2, "field": "real", "rank": 1, "data": "y.npy",
      "operator": {"type": "entries", "places": "places.npy"}, "loss": {"type": "logistic"}})");
    return run_matrix_problem(folder / "p.json", {}).summary.contains("warnings");
  };
  EXPECT_FALSE(warned({1, -1, 1, -1}));
  EXPECT_TRUE(warned({1, 1, 1, 1}));
}

// A fit far above counting noise is called so; one that noise explains is not.
TEST(MatrixProblem, CountsSayWhetherTheyAreExplained) {
  const TemporaryFolder folder;
  const Matrix<double> a = test::random_factor<double>(150, 10, 1);
  const Matrix<double> u = test::random_factor<double>(10, 2, 2);
  write_npy(folder / "a.npy", to_array(a));
  write_npy(folder / "y.npy", counts_of((a * u).rowwise().squaredNorm(), 5));
  const auto summary = [&](int rank) {
    folder.file("p.json", fmt::format(R"({{"dimension": 10, "field": "real", "rank": {},
      "data": "y.npy", "operator": {{"type": "rank-one", "vectors": "a.npy"}},
      "loss": "poisson"}})",
                                      rank));
    return run_matrix_problem(folder / "p.json", {}).summary;
  };
  const Json right = summary(2), poor = summary(1);
  EXPECT_EQ(right["fits_data"], true);
  EXPECT_FALSE(right.contains("warnings"));
  EXPECT_EQ(poor["fits_data"], false);
  EXPECT_THAT(poor["warnings"].dump(),
              ::testing::HasSubstr("times worse than expected from counting noise"));
}

// Where f is infinite the iterates are not to blame.
TEST(MatrixProblem, AStartWithoutALikelihoodIsNamed) {
  const TemporaryFolder folder;
  Matrix<double> a = test::random_factor<double>(30, 5, 1);
  a.row(3).setZero();  // and yet something was counted there
  write_npy(folder / "a.npy", to_array(a));
  write_npy(folder / "y.npy", Array{{30}, false, std::vector<double>(30, 4)});
  folder.file("p.json", R"({"dimension": 5, "field": "real", "rank": 1, "data": "y.npy",
    "operator": {"type": "rank-one", "vectors": "a.npy"}, "loss": "poisson"})");
  const Json summary = run_matrix_problem(folder / "p.json", {}).summary;
  EXPECT_EQ(summary["status"], "diverged");
  EXPECT_THAT(summary["message"].get<std::string>(),
              ::testing::HasSubstr("f is not finite at the start"));
  EXPECT_EQ(summary.value("warnings", Json::array()).dump().find("inf times"), std::string::npos);
}

}  // namespace
}  // namespace projfgd

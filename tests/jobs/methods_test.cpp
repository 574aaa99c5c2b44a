// Every method by its name, through a job.
#include "projfgd/jobs/methods.hpp"

#include <fmt/format.h>

#include <cmath>

#include "projfgd/core/error.hpp"
#include "projfgd/jobs/matrix_problem.hpp"
#include "support/matrix_problem_files.hpp"

namespace projfgd {
namespace {

using test::ProblemFiles;

/// The constraint frobenius-ball with the trace of the truth.
std::string ball(const ProblemFiles<std::complex<double>>& files) {
  const Array truth = read_npy(files.folder / "truth.npy");
  double trace = 0;
  for (const double x : truth.values) trace += x * x;
  return fmt::format("frobenius-ball:{:.17g}", std::sqrt(trace));
}

double number(const RunRecord& record, const char* key) {
  return record.summary.at(key).get<double>();
}

// n = 8 and m = 70 > n^2 numbers determine X and f* = 0: every method nears the same answer, and
// those that carry a bound on f - f* have one.
TEST(Methods, EachFindsTheOneAnswer) {
  const ProblemFiles<std::complex<double>> files("dense");
  RunSettings settings;
  settings.constraint = ball(files);
  settings.options.tolerance = 1e-10;
  settings.options.max_iterations = 400;
  for (const std::string& method : method_names()) {
    settings.method = method;
    const RunRecord record = run_matrix_problem(files.description(), settings);
    if (record.summary.contains("gap")) {
      EXPECT_GE(number(record, "gap"), number(record, "objective")) << method;
    } else {
      EXPECT_LE(number(record, "relative_error"), method == "nuclear-norm" ? 2e-2 : 1e-8) << method;
    }
    EXPECT_EQ(record.summary["method"], method);
    EXPECT_EQ(record.summary.contains("eigenvector_calls"), needs_least_squares(method)) << method;
  }
}

// A datum of weight 0 is no datum: with it wildly wrong the answer stays the same.
TEST(Methods, WeightsAreTakenIntoTheOperator) {
  const ProblemFiles<std::complex<double>> files("dense");
  Array y = read_npy(files.folder / "data.npy");
  Array weights{y.shape, false, {}};
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    weights.values.push_back(i == 0 ? 0.0 : 0.5 + 0.02 * static_cast<double>(i));
  }
  y.values[0] += 100;
  write_npy(files.folder / "data.npy", y);
  write_npy(files.folder / "weights.npy", weights);
  RunSettings settings;
  settings.method = "svp";
  settings.options.tolerance = 1e-11;
  const Json loss = {{"type", "weighted-least-squares"}, {"weights", "weights.npy"}};
  const RunRecord record = run_matrix_problem(files.description({{"loss", loss}}), settings);
  EXPECT_LE(number(record, "relative_error"), 1e-8);
}

TEST(Methods, RefuseWhatTheyCannotDo) {
  const ProblemFiles<std::complex<double>> files("dense");
  const auto refused = [&](const char* method, const Json& more, const std::string& part) {
    RunSettings settings;
    settings.method = method;
    try {
      run_matrix_problem(files.description(more), settings);
      ADD_FAILURE() << method << " took it";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  Array signs = read_npy(files.folder / "data.npy");
  for (double& y : signs.values) y = y > 0 ? 1 : -1;
  write_npy(files.folder / "signs.npy", signs);
  refused("rsvp", {{"loss", "logistic"}, {"data", "signs.npy"}}, "least-squares");
  refused("svp", {{"constraint", "nonnegative"}}, "frobenius-ball");
  refused("acc-uni-pd-grad", Json::object(), "bound on the trace");
  refused("rsvd", Json::object(), "rsvp, sparse-approx-sdp");
}

}  // namespace
}  // namespace projfgd

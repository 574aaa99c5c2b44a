// Tomography from counts to a state: likelihood against other algorithms, equivariance,
// conventions, detectors, questions.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "projfgd/core/error.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/measures/distance.hpp"
#include "support/tomography.hpp"

namespace projfgd::test {
namespace {

/// k / p at the state R R^H, the weights of the likelihood's gradient A*(k / p).
Vector<double> likelihood_weights(const ProductBasisOperator<C>& op, const CountsData& data,
                                  const StateFactor& root) {
  Vector<double> p;
  op.forward(root, p);
  return (data.counts.array() > 0).select(data.counts.array() / p.array(), 0.0);
}

/// The R rho R fixed-point iteration (Hradil 1997), diluted only by its own slowness.
StateFactor r_rho_r(const ProductBasisOperator<C>& op, const CountsData& data) {
  const Index n = op.rows();
  StateFactor root = StateFactor::Identity(n, n) / std::sqrt(static_cast<double>(n));
  StateFactor g;
  for (int step = 0; step < 1500; ++step) {
    op.adjoint_times(likelihood_weights(op, data, root), root, g);
    root = g / g.norm();
  }
  return root;
}

double log_likelihood(const ProductBasisOperator<C>& op, const CountsData& data,
                      const StateFactor& state) {
  Vector<double> p;
  op.forward(normalised(state), p);
  double sum = 0;
  for (Index i = 0; i < p.size(); ++i) {
    if (data.counts[i] > 0) sum += data.counts[i] * std::log(p[i]);
  }
  return sum;
}

TEST_F(Tomography, FullRankFitIsAsLikelyAsTheFixedPointIteration) {
  simulate_counts({.qubits = 4, .state = "w", .shots = 100, .depolarizing = 0.1}, folder_.path());
  const Path file = folder_ / "counts.json";
  const auto data =
      std::get<CountsData>(parse_measurements({{file, read_file(file)}}, MeasurementFormat{}));
  EXPECT_EQ(data.settings.size(), 81u);
  const ProductBasisOperator<C> op(data.settings, data.bases);
  const RunRecord record = run(file, 16, 1e-9);
  const double ours = log_likelihood(op, data, factor_of(record));
  const double theirs = log_likelihood(op, data, r_rho_r(op, data));
  EXPECT_GE(ours, theirs - 1e-6);
  EXPECT_NEAR(number(record, "trace"), 1, 1e-5);
}

CountsData read_counts(const Path& file) {
  return std::get<CountsData>(parse_measurements({{file, read_file(file)}}, {}));
}

/// Maximum likelihood on dense matrices: gradient steps on rho, each projected onto the states by
/// shifting its eigenvalues down until the positive ones sum to 1, with the step halved until the
/// likelihood rises. Slow and simple, and shares nothing with the solver but the operator.
StateFactor dense_projected(const ProductBasisOperator<C>& op, const CountsData& data) {
  const Index n = op.rows();
  const auto root_of = [n](const StateFactor& rho) {
    const auto eigen = hermitian_eigen(rho);
    Vector<double> values = eigen.values;  // ascending
    double sum = 0, shift = 0;
    for (Index k = 1; k <= n; ++k) {
      sum += values[n - k];
      const double candidate = (sum - 1) / static_cast<double>(k);
      if (values[n - k] > candidate) shift = candidate;
    }
    values = (values.array() - shift).cwiseMax(0.0).sqrt();
    return StateFactor(eigen.vectors * values.asDiagonal());
  };
  StateFactor root = StateFactor::Identity(n, n) / std::sqrt(static_cast<double>(n));
  const StateFactor identity = StateFactor::Identity(n, n);
  double best = log_likelihood(op, data, root), step = 1e-3;
  StateFactor gradient;
  for (int k = 0; k < 3000; ++k) {
    op.adjoint_times(likelihood_weights(op, data, root), identity, gradient);
    step *= 2;
    for (; step > 1e-14; step /= 2) {
      const StateFactor next = root_of(root * root.adjoint() + step * gradient);
      const double value = log_likelihood(op, data, next);
      if (!(value > best)) continue;
      best = value;
      root = next;
      break;
    }
    if (step <= 1e-14) break;
  }
  return root;
}

TEST_F(Tomography, FullRankFitIsTheStateThatProjectedGradientsFind) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    simulate_counts(
        {.qubits = 2, .state = "random", .shots = 200, .depolarizing = 0.05, .seed = seed},
        folder_.path());
    const CountsData data = read_counts(folder_ / "counts.json");
    const ProductBasisOperator<C> op(data.settings, data.bases);
    const StateFactor ours = normalised(factor_of(run(folder_ / "counts.json", 4, 1e-10)));
    const StateFactor theirs = dense_projected(op, data);
    EXPECT_GE(log_likelihood(op, data, ours), log_likelihood(op, data, theirs) - 1e-8);
    EXPECT_LE(trace_distance(ours, theirs), 1e-4) << seed;
  }
}

void write_counts(const Path& path, const CountsData& data) {
  Json json = Json::object();
  const Index n = Index{1} << data.qubits;
  for (std::size_t s = 0; s < data.settings.size(); ++s) {
    std::string label;
    for (const auto basis : data.settings[s]) label.insert(label.begin(), "XYZ"[basis]);
    const Vector<double> counts = data.counts.segment(static_cast<Index>(s) * n, n);
    json[label] = std::vector<int>(counts.begin(), counts.end());
  }
  write_file(path, json_text(json));
}

TEST_F(Tomography, CountsAreEquivariantUnderQubitPermutationsAndLocalUnitaries) {
  simulate_counts({.qubits = 3, .state = "random", .shots = 500, .depolarizing = 0.1},
                  folder_.path());
  const CountsData data = read_counts(folder_ / "counts.json");
  const Path changed = folder_ / "changed.json";
  for (const Index rank : {1, 2}) {
    const StateFactor u = factor_of(run(folder_ / "counts.json", rank, 1e-13));
    const auto expect = [&](const CountsData& other, const StateFactor& expected) {
      write_counts(changed, other);
      EXPECT_LE(relative_error(factor_of(run(changed, rank, 1e-13)), expected), 1e-9) << rank;
    };

    const int order[] = {2, 0, 1};  // qubit j becomes qubit order[j]
    const auto permute = [&order](Index bits) {
      Index out = 0;
      for (int j = 0; j < 3; ++j) out |= ((bits >> j) & 1) << order[j];
      return out;
    };
    CountsData other = data;
    StateFactor expected(8, rank);
    for (std::size_t s = 0; s < data.settings.size(); ++s) {
      for (std::size_t j = 0; j < 3; ++j) {
        other.settings[s][static_cast<std::size_t>(order[j])] = data.settings[s][j];
      }
      const Index at = static_cast<Index>(s) * 8;
      for (Index k = 0; k < 8; ++k) other.counts[at + permute(k)] = data.counts[at + k];
    }
    for (Index k = 0; k < 8; ++k) expected.row(permute(k)) = u.row(k);
    expect(other, expected);

    other = data;  // a Hadamard gate on qubit 1: X and Z change places, Y changes its sign
    for (std::size_t s = 0; s < data.settings.size(); ++s) {
      auto& basis = other.settings[s][1];
      basis = static_cast<std::uint8_t>(2 - basis);
      const Index at = static_cast<Index>(s) * 8;
      for (Index k = 0; k < 8; ++k) {
        other.counts[at + (basis == 1 ? k ^ 2 : k)] = data.counts[at + k];
      }
    }
    for (Index k = 0; k < 8; ++k) {
      const double sign = (k & 2) == 0 ? 1 : -1;
      expected.row(k) = (u.row(k & ~Index{2}) + sign * u.row(k | 2)) / std::sqrt(2.0);
    }
    expect(other, expected);
  }
}

TEST_F(Tomography, NoiseEndsALikelihoodFitBelowFullRank) {
  simulate_counts({.qubits = 4, .state = "w", .shots = 100, .depolarizing = 0.1}, folder_.path());
  const Path file = folder_ / "counts.json";
  const RunRecord quick = run(file, 4, 5e-6), exact = run(file, 4, 1e-10);
  EXPECT_LT(number(quick, "iterations"), number(exact, "iterations"));
  // Noise alone moves the objective by half a unit for each of the 2 n r - r^2 parameters.
  const double noise = 0.5 * (2 * 16 * 4 - 16);
  EXPECT_LE(number(quick, "objective") - number(exact, "objective"), 1e-2 * noise);
}

TEST_F(Tomography, NamesTheOptionThatMendsAWrongOrder) {
  simulate_counts({.qubits = 3, .state = "random", .shots = 4000}, folder_.path());
  TomographyInput wrong;
  wrong.format.label_qubit0_left = true;
  const RunRecord bad = run(folder_ / "counts.json", 8, 5e-6, {}, wrong);
  ASSERT_TRUE(bad.summary.contains("warnings"));
  EXPECT_THAT(bad.summary["warnings"].dump(), testing::HasSubstr("--label-order qubit0-right"));
  const RunRecord good = run(folder_ / "counts.json", 8, 5e-6, folder_ / "truth.npy");
  EXPECT_FALSE(good.summary.contains("warnings"));
  EXPECT_LE(number(good, "residual"), 1.1 * number(good, "noise_floor"));
  EXPECT_GE(number(good, "fidelity"), 0.99);
}

TEST_F(Tomography, ReadoutErrorInTheModelRaisesTheFidelity) {
  simulate_counts({.qubits = 3, .shots = 2000, .readout_error = 0.05}, folder_.path());
  TomographyInput input;
  input.target = "ghz";
  const double plain = number(run(folder_ / "counts.json", 8, 5e-6, {}, input), "fidelity");
  input.readout = folder_ / "readout.json";
  const double mended = number(run(folder_ / "counts.json", 8, 5e-6, {}, input), "fidelity");
  EXPECT_LE(plain, 0.9);
  EXPECT_GE(mended, 0.97);
}

TEST_F(Tomography, TheOrderThatIsNamedFitsAsWellAsIsSaid) {
  // White noise and |0> |+>, of which a pure state of any trace explains more than one of trace 1.
  constexpr double kept = 0.9, shots = 10000;
  Json counts = Json::object();
  for (const char left : {'X', 'Y', 'Z'}) {
    for (const char right : {'X', 'Y', 'Z'}) {
      const double a = left == 'Z' ? 1 : 0, b = right == 'X' ? 1 : 0;
      Json& cells = counts[{right, left}];  // the labels run the wrong way
      for (const int s : {1, -1}) {
        for (const int t : {1, -1}) {
          const std::string outcome = {s > 0 ? '0' : '1', t > 0 ? '0' : '1'};
          cells[outcome] = std::round(shots * (1 + kept * (s * a + t * b + s * t * a * b)) / 4);
        }
      }
    }
  }
  TomographyInput input;
  input.data = {folder_ / "counts.json"};
  write_file(input.data[0], counts.dump());
  input.loss = "least-squares";
  RunSettings settings;
  settings.options.step = StepRule::constant;  // does not grow the rank: it is 1
  settings.options.step_size = 0.2;
  const RunRecord wrong = run_tomography(input, settings);
  ASSERT_EQ(number(wrong, "rank"), 1);
  EXPECT_NEAR(number(wrong, "trace"), 1, 1e-9);
  input.format.label_qubit0_left = true;
  const RunRecord right = run_tomography(input, settings);
  EXPECT_THAT(
      wrong.summary["warnings"].dump(),
      testing::HasSubstr(fmt::format("reduces it to {:.1f}",
                                     number(right, "residual") / number(right, "noise_floor"))));
}

TEST_F(Tomography, LossesAgreeOnGoodData) {
  simulate_counts({.qubits = 3, .state = "w", .shots = 20000, .depolarizing = 0.2}, folder_.path());
  for (const char* loss : {"poisson", "least-squares", "weighted"}) {
    TomographyInput input;
    input.loss = loss;
    const RunRecord record = run(folder_ / "counts.json", 8, 1e-7, folder_ / "truth.npy", input);
    EXPECT_LE(number(record, "trace_distance"), 0.02) << loss;
    // Within five standard deviations of a chi-square.
    const double dof = number(record, "degrees_of_freedom");
    EXPECT_NEAR(number(record, "chi_square"), dof, 5 * std::sqrt(2 * dof)) << loss;
  }
}

TEST_F(Tomography, WeightsOfMitigatedCountsArePositive) {
  write_file(folder_ / "counts.json",
             R"({"X": {"0": 1.05, "1": -0.05}, "Y": [0.5, 0.5], "Z": [0.5, 0.5]})");
  TomographyInput input;
  input.format.shots = 1000;
  input.loss = "weighted";
  input.target = "plus";
  const RunRecord record = run(folder_ / "counts.json", 2, 1e-9, {}, input);
  EXPECT_EQ(record.status, Status::converged);
  // The state that the data point at is |+>, as near as states come to <X> = 1.1.
  EXPECT_GE(number(record, "fidelity"), 1 - 1e-6);
  EXPECT_GE(number(record, "objective"), 0);
}

TEST_F(Tomography, AnswersQuestionsFromTheFactor) {
  simulate_counts({.qubits = 3, .shots = 5000}, folder_.path());
  write_file(folder_ / "observables.txt", "XXX\nZZI\n");
  TomographyInput input;
  input.observables = folder_ / "observables.txt";
  input.reduced = {{0, 2}};
  input.target = "ghz";
  const RunRecord record = run(folder_ / "counts.json", 1, 5e-6, {}, input);
  EXPECT_NEAR(record.summary["expectations"]["XXX"].get<double>(), 1, 1e-3);
  EXPECT_NEAR(record.summary["expectations"]["ZZI"].get<double>(), 1, 1e-3);
  EXPECT_NEAR(number(record, "purity"), 1, 1e-12);
  EXPECT_NEAR(number(record, "entropy"), 0, 1e-9);
  ASSERT_EQ(record.files.size(), 1u);
  EXPECT_EQ(record.files[0].first, "reduced_0_2.npy");
  const auto reduced = to_matrix<C>(parse_npy(record.files[0].second, "reduced"), "reduced");
  EXPECT_NEAR(std::real(reduced(0, 0)), 0.5, 0.02);  // half |00>, half |11>, no coherence
  EXPECT_NEAR(std::abs(reduced(0, 3)), 0, 0.02);
  write_outputs(folder_.path(), record);
  EXPECT_EQ(read_file(folder_ / "reduced_0_2.npy"), record.files[0].second);
  const auto rho = to_matrix<C>(read_npy(folder_ / "density_matrix.npy"), "density_matrix");
  EXPECT_NEAR(std::abs(rho.trace() - 1.0), 0, 1e-12);
  EXPECT_LE((rho - rho.adjoint()).norm(), 0);
}

TEST_F(Tomography, QubitsToKeepAreCheckedBeforeTheSolve) {
  simulate_counts({.qubits = 2}, folder_.path());
  for (const std::vector<int>& kept : {std::vector<int>{0, 0}, {1, 2}, {-1}, {}}) {
    TomographyInput input;
    input.data = {folder_ / "counts.json"};
    input.reduced = {kept};
    RunSettings settings;
    settings.rank = 1;
    bool solved = false;
    settings.progress = [&](const TraceRow&) { solved = true; };
    EXPECT_THROW(run_tomography(input, settings), InputError);
    EXPECT_FALSE(solved);
  }
}

TEST_F(Tomography, RefusesQuestionsItCannotAnswer) {
  simulate_counts({.qubits = 2}, folder_.path());
  const auto fails = [this](const std::function<void(TomographyInput&)>& change) {
    TomographyInput input;
    change(input);
    EXPECT_THROW(run(folder_ / "counts.json", 1, 5e-6, {}, input), InputError);
  };
  fails([](TomographyInput& i) { i.reduced = {{2}}; });
  fails([](TomographyInput& i) { i.target = "cat"; });
  fails([](TomographyInput& i) { i.loss = "hinge"; });
  fails([](TomographyInput& i) { i.format.format = "xml"; });
  EXPECT_THROW(run(folder_ / "counts.json", 5, 5e-6), InputError);
  EXPECT_THROW(run(folder_ / "counts.json", Index{1} << 50, 5e-6), InputError);
  EXPECT_THROW(run(folder_ / "missing.json", 1, 5e-6), FileError);
}

}  // namespace
}  // namespace projfgd::test

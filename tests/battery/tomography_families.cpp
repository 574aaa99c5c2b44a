#include "battery/tomography_families.hpp"

#include <cmath>
#include <complex>

#include "jobs/tomography/random_experiment.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "support/simulated_counts.hpp"

namespace projfgd::battery {
namespace {

using C = std::complex<double>;

constexpr int observables = 6;         // asked for in every experiment
constexpr double damping = 0.1;        // of every qubit of a GHZ state
constexpr double thermal_decay = 1.0;  // from one eigenvalue to the next, as a logarithm

StateFactor leading_of(int, const StateFactor& state) {
  const HermitianEigen<C> eigen = hermitian_eigen(gram(state, state));
  return normalised(state * eigen.vectors.rightCols(1));
}
StateFactor ghz_of(int qubits, const StateFactor&) { return named_state("ghz", qubits); }
StateFactor w_of(int qubits, const StateFactor&) { return named_state("w", qubits); }

StateFactor pure(int qubits, std::uint64_t seed) {
  return random_state(Index{1} << qubits, 1, seed);
}
StateFactor two(int qubits, std::uint64_t seed) {
  return random_state(Index{1} << qubits, 2, seed);
}
StateFactor noisy(const StateFactor& u, double share) {
  const Index n = u.rows();
  StateFactor all(n, u.cols() + n);
  all.leftCols(u.cols()) = std::sqrt(1 - share) * u;
  all.rightCols(n) = std::sqrt(share / static_cast<double>(n)) * StateFactor::Identity(n, n);
  return all;
}
StateFactor two_noisy(int qubits, std::uint64_t seed) { return noisy(two(qubits, seed), 0.05); }
StateFactor ghz_noisy(int qubits, std::uint64_t) { return noisy(named_state("ghz", qubits), 0.1); }
StateFactor w_noisy(int qubits, std::uint64_t) { return noisy(named_state("w", qubits), 0.1); }

/// Each qubit falls from 1 to 0 with the chance `damping`.
StateFactor ghz_damped(int qubits, std::uint64_t) {
  StateFactor u = named_state("ghz", qubits);
  const Index n = u.rows();
  for (int qubit = 0; qubit < qubits; ++qubit) {
    const Index bit = Index{1} << qubit;
    StateFactor both = StateFactor::Zero(n, 2 * u.cols());
    for (Index k = 0; k < n; ++k) {
      if ((k & bit) == 0) {
        both.row(k).head(u.cols()) = u.row(k);
        both.row(k).tail(u.cols()) = std::sqrt(damping) * u.row(k | bit);
      } else {
        both.row(k).head(u.cols()) = std::sqrt(1 - damping) * u.row(k);
      }
    }
    u = both;
  }
  return u;
}

StateFactor mixed(int qubits, std::uint64_t seed) {
  const Index n = Index{1} << qubits;
  return random_state(n, n, seed);
}

/// Eigenvalues that fall geometrically, in a random basis.
StateFactor thermal(int qubits, std::uint64_t seed) {
  const StateFactor any = mixed(qubits, seed);
  const HermitianEigen<C> eigen = hermitian_eigen<C>(any * any.adjoint());
  Vector<double> roots(any.rows());
  for (Index k = 0; k < roots.size(); ++k) {
    roots[k] = std::exp(-thermal_decay * static_cast<double>(k) / 2);
  }
  return normalised(eigen.vectors * roots.asDiagonal());
}

/// Random strings, none of them the identity.
void ask_expectations(int qubits, std::uint64_t seed, StateQuestions& questions) {
  const std::uint64_t all = (std::uint64_t{1} << 2 * qubits) - 1;
  for (const std::uint64_t k :
       distinct_numbers(std::min<std::uint64_t>(observables, all), all, seed)) {
    const PauliString pauli{static_cast<std::uint32_t>((k + 1) >> qubits),
                            static_cast<std::uint32_t>((k + 1) & ((1U << qubits) - 1))};
    questions.paulis.push_back(pauli);
    questions.labels.push_back(pauli_label(pauli, qubits));
  }
}

PauliData expectations_of(const StateFactor& truth, const Design& design, std::uint64_t seed) {
  PauliData data;
  data.qubits = design.qubits;
  const Index all = Index{1} << 2 * design.qubits;
  data.values.resize(all - 1);
  data.errors = Vector<double>::Constant(all - 1, 1 / std::sqrt(design.shots));
  const RandomStream random(seed, noise_stream);
  for (Index k = 1; k < all; ++k) {
    const PauliString pauli{static_cast<std::uint32_t>(k >> design.qubits),
                            static_cast<std::uint32_t>(k & ((Index{1} << design.qubits) - 1))};
    data.strings.push_back(pauli);
    data.values[k - 1] = expectation(pauli, truth) + data.errors[k - 1] * random.normal(k);
  }
  return data;
}

CountsData counts_of(const StateFactor& truth, const Design& design, const ModelChoice& choice,
                     std::uint64_t seed) {
  CountsData data;
  data.qubits = design.qubits;
  data.settings = test::all_settings(design.qubits);
  if (design.settings > 0) {
    std::vector<Setting> some;
    for (const std::uint64_t k : distinct_numbers(static_cast<std::uint64_t>(design.settings),
                                                  data.settings.size(), seed)) {
      some.push_back(data.settings[k]);
    }
    data.settings = some;
  }
  data.bases = pauli_bases();
  const auto settings = static_cast<Index>(data.settings.size());
  const Index outcomes = Index{1} << design.qubits;
  data.shots = Vector<double>::Constant(settings, design.shots);
  data.counts = Vector<double>::Zero(settings * outcomes);
  const StateModel<C> model = make_model<C>(data, choice, quiet_settings(1));
  data.counts =
      test::simulated_counts(predictions(model.problem, truth), outcomes, design.shots, seed);
  return data;
}

}  // namespace

const std::vector<StateFamily>& state_families() {
  static const std::vector<StateFamily> all{{"pure", pure, leading_of},
                                            {"rank 2", two, leading_of},
                                            {"rank 2, 5% white", two_noisy, leading_of},
                                            {"GHZ, 10% white", ghz_noisy, ghz_of},
                                            {"W, 10% white", w_noisy, w_of},
                                            {"GHZ, damped", ghz_damped, ghz_of},
                                            {"mixed", mixed, leading_of},
                                            {"thermal", thermal, leading_of}};
  return all;
}

RunSettings quiet_settings(Index rank) {
  RunSettings settings;
  settings.rank = rank;
  settings.threads = 1;
  return settings;
}

StateExperiment simulate(const StateFamily& family, const Design& design, std::uint64_t seed) {
  StateExperiment out;
  out.truth = normalised(family.state(design.qubits, seed));
  ModelChoice& choice = out.data.choice;
  if (design.readout_error > 0) {
    const double e = design.readout_error;
    choice.readout.per_qubit.assign(static_cast<std::size_t>(design.qubits),
                                    {{{1 - e, e}, {e, 1 - e}}});
  }
  if (design.expectations) {
    out.data.measured = expectations_of(out.truth, design, seed);
  } else {
    out.data.measured = counts_of(out.truth, design, choice, seed);
  }
  out.data.questions.target = family.target(design.qubits, out.truth);
  ask_expectations(design.qubits, seed, out.data.questions);
  return out;
}

StateFit<C> fit(const StateExperiment& experiment, Index rank, const TomographyInput& input) {
  const RunSettings settings = with_rank(quiet_settings(rank), experiment.data.measured);
  const StateModel<C> model = make_model<C>(experiment.data, settings);
  return fit_state(input, experiment.data, model, settings);
}

void Coverage::add(const Interval& interval, double truth) {
  ++intervals;
  constexpr double rounding = 1e-9;  // of an end that was moved to the edge of the range
  if (interval.low - rounding <= truth && truth <= interval.high + rounding) ++held;
  width += interval.high - interval.low;
}

void Coverage::add(const Coverage& others) {
  intervals += others.intervals;
  held += others.held;
  width += others.width;
}

}  // namespace projfgd::battery

#include "battery/tomography_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>

#include "battery/fixed_models.hpp"

namespace projfgd::battery {
namespace {

using C = std::complex<double>;

constexpr int random_starts = 20;  // that a fit is compared with
constexpr double far_above = 0.1;  // nats

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::uint64_t seed_of(const TableRequest& request, int set) {
  return 1000 * request.seed + static_cast<std::uint64_t>(set);
}

/// What the program is asked for.
TomographyInput input_of(const TableRequest& request) {
  TomographyInput input;
  if (!request.errors) input.errors = errors_option::none;
  return input;
}

double infidelity(const StateFactor& state, const StateFactor& truth) {
  return 1 - fidelity(state, truth);
}

/// Beside each other: the name of a family, and what is to be told of it.
void show_row(const std::string& name, const std::vector<std::string>& cells) {
  fmt::print("{:<18}", name);
  for (const std::string& cell : cells) fmt::print("{:>16}", cell);
  fmt::print("\n");
  std::fflush(stdout);
}

/// The infidelities of every fixed model, by name.
std::map<std::string, double> fixed_models(const StateExperiment& experiment, bool each) {
  std::map<std::string, double> out;
  const RunSettings settings = quiet_settings(1);
  const StateModel<C> model = make_model<C>(experiment.data, settings);
  for (const FixedModel<C>& fit : fit_every_model(model, settings)) {
    out[fit.name] = infidelity(normalised(fit.state), experiment.truth);
    if (!each) continue;
    fmt::print("    {}: {:.6f}, objective {:.3f}\n", fit.name, out[fit.name], fit.objective);
  }
  return out;
}

/// Whether the purity that the data show without a model is below 1 by more than 1 in 100 chances.
bool purity_is_denied(const StateExperiment& experiment, const FittedState& found) {
  constexpr double one_in_hundred = 2.326;  // deviations, of a normal number on one side
  const auto& data = std::get<CountsData>(experiment.data.measured);
  const OutcomeMap map(data.settings, data.bases, experiment.data.choice.readout);
  const auto interval = CountsEstimate(map, data.counts, data.shots, found.predictions).purity();
  if (!interval || interval->high >= 1) return false;  // an end at 1 may have been beyond it
  const double half = (interval->high - interval->low) / 2;
  return interval->low + half + one_in_hundred / normal_quantile * half < 1;
}

}  // namespace

void show_models(const TableRequest& request) {
  show_row("family", {"default", "best fixed", "ratio", "model", "seconds a set"});
  double worst = 0, sum = 0;
  for (const StateFamily& family : request.families) {
    double automatic = 0, seconds = 0;
    std::map<std::string, double> fixed;
    for (int set = 0; set < request.sets; ++set) {
      const StateExperiment experiment = simulate(family, request.design, seed_of(request, set));
      const double before = processor_seconds();
      const FittedState found = fit(experiment, request.fit_rank, input_of(request)).found;
      seconds += processor_seconds() - before;
      const double missed = infidelity(found.state, experiment.truth);
      automatic += missed;
      if (request.each) {
        fmt::print("  {} seed {}: {:.6f}, {}\n", family.name, seed_of(request, set), missed,
                   found.note);
      }
      if (!request.fixed) continue;
      for (const auto& [name, value] : fixed_models(experiment, request.each)) {
        fixed[name] += value;
      }
    }
    if (fixed.empty()) {
      show_row(family.name, {fmt::format("{:.5f}", automatic / request.sets), "-", "-", "-",
                             fmt::format("{:.3f}", seconds / request.sets)});
      continue;
    }
    const auto best =
        std::ranges::min_element(fixed, {}, [](const auto& entry) { return entry.second; });
    const double ratio = automatic / best->second;
    worst = std::max(worst, ratio);
    sum += ratio;
    show_row(family.name,
             {fmt::format("{:.5f}", automatic / request.sets),
              fmt::format("{:.5f}", best->second / request.sets), fmt::format("{:.2f}", ratio),
              best->first, fmt::format("{:.3f}", seconds / request.sets)});
  }
  if (!request.fixed) return;
  fmt::print("worst {:.2f}, mean {:.2f}\n", worst,
             sum / static_cast<double>(request.families.size()));
}

IntervalRates rates_of_intervals(const StateFamily& family, const TableRequest& request) {
  IntervalRates out;
  for (int set = 0; set < request.sets; ++set) {
    const StateExperiment experiment = simulate(family, request.design, seed_of(request, set));
    const double before = processor_seconds();
    const StateTrust trust = fit(experiment).found.trust;
    out.seconds += processor_seconds() - before;
    const Vector<double> values = eigenvalues(experiment.truth);
    const auto add = [](Coverage& coverage, const auto& found, double truth) {
      if (found) coverage.add(found->interval, truth);
    };
    const StateQuestions& ask = experiment.data.questions;
    add(out.fidelity, trust.fidelity, fidelity(experiment.truth, ask.target));
    add(out.purity, trust.purity, purity(experiment.truth));
    add(out.entropy, trust.entropy, entropy(values));
    if (!trust.eigenvalues.empty()) out.largest.add(trust.eigenvalues[0].interval, values[0]);
    for (std::size_t k = 0; k < trust.expectations.size(); ++k) {
      add(out.paulis, trust.expectations[k], expectation(ask.paulis[k], experiment.truth));
    }
  }
  return out;
}

void show_intervals(const TableRequest& request) {
  show_row("family", {"fidelity", "purity", "entropy", "largest", "Pauli", "seconds a set"});
  for (const StateFamily& family : request.families) {
    const IntervalRates rates = rates_of_intervals(family, request);
    std::vector<std::string> cells;
    for (const Coverage& c :
         {rates.fidelity, rates.purity, rates.entropy, rates.largest, rates.paulis}) {
      cells.push_back(c.intervals == 0 ? "-"
                      : request.each
                          ? fmt::format("{}/{} {:.4f}", c.held, c.intervals, c.mean_width())
                          : fmt::format("{:.1f}% {:.4f}", 100 * c.rate(), c.mean_width()));
    }
    cells.push_back(fmt::format("{:.3f}", rates.seconds / request.sets));
    show_row(family.name, cells);
  }
}

StartRates rates_of_starts(const StateFamily& family, const TableRequest& request) {
  StartRates out{.fits = request.sets};
  TomographyInput input;
  input.errors = errors_option::none;
  for (int set = 0; set < request.sets; ++set) {
    const StateExperiment experiment = simulate(family, request.design, seed_of(request, set));
    RunSettings settings = quiet_settings(request.rank);
    const StateModel<C> model = make_model<C>(experiment.data, settings);
    const double before = processor_seconds();
    const double found = fit(experiment, request.rank, input).answer.result.objective;
    out.seconds += processor_seconds() - before;
    const StopRule rule =
        stop_under_noise(settings, model.problem, model.facts.noise, request.rank);
    const double spectral = StagedRun<C>(model.problem, settings).from_start(rule).objective;
    double best = std::min(found, spectral);
    settings.init = start_name::random;
    for (int k = 0; k < random_starts; ++k) {
      settings.options.seed = 77 + static_cast<std::uint64_t>(k);
      best = std::min(best, StagedRun<C>(model.problem, settings).from_start(rule).objective);
    }
    out.far_above += found > best + far_above ? 1 : 0;
    out.spectral_far_above += spectral > best + far_above ? 1 : 0;
    out.most = std::max(out.most, found - best);
  }
  return out;
}

void show_starts(const TableRequest& request) {
  show_row("family", {"fits", "far above", "most above", "spectral above", "seconds a fit"});
  for (const StateFamily& family : request.families) {
    const StartRates rates = rates_of_starts(family, request);
    show_row(family.name,
             {fmt::format("{}", rates.fits), fmt::format("{}", rates.far_above),
              fmt::format("{:.2f}", rates.most), fmt::format("{}", rates.spectral_far_above),
              fmt::format("{:.3f}", rates.seconds / request.sets)});
  }
}

void show_verdicts(const TableRequest& request) {
  show_row("family", {"sets", "misfits", "undetermined", "purity 1", "of these denied"});
  constexpr double called_pure = 1 - 1e-6;
  for (const StateFamily& family : request.families) {
    int misfits = 0, open = 0, pure = 0, denied = 0;
    for (int set = 0; set < request.sets; ++set) {
      const StateExperiment experiment = simulate(family, request.design, seed_of(request, set));
      const FittedState found = fit(experiment, request.fit_rank, input_of(request)).found;
      misfits += found.test.is_possible() && !found.test.fits() ? 1 : 0;
      open += found.trust.determined == false ? 1 : 0;
      if (purity(found.state) < called_pure) continue;
      ++pure;
      denied += purity_is_denied(experiment, found) ? 1 : 0;
    }
    show_row(family.name,
             {fmt::format("{}", request.sets), fmt::format("{}", misfits), fmt::format("{}", open),
              fmt::format("{}", pure), fmt::format("{}", denied)});
  }
}

}  // namespace projfgd::battery

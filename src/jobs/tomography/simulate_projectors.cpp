#include "jobs/tomography/simulate_projectors.hpp"

#include <fmt/format.h>

#include <cmath>

#include "jobs/common/poisson_number.hpp"
#include "jobs/tomography/random_experiment.hpp"
#include "jobs/tomography/simulated_state.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/operators/projectors.hpp"

namespace projfgd {
namespace {

struct ProjectorSet {
  const char *name, *letters;
};
constexpr ProjectorSet sets[] = {{"minimal", "HVDR"}, {"all", "HVDARL"}};

std::string letters_of(const CountsSimulation& simulation) {
  return require_named("--projectors", sets, simulation.projectors).letters;
}

QubitState state_of(char letter) {
  const double half = std::sqrt(0.5);
  switch (letter) {
    case 'H':
      return {1, 0};
    case 'V':
      return {0, 1};
    case 'D':
      return {half, half};
    case 'A':
      return {half, -half};
    default:
      return {half, {0, letter == 'R' ? half : -half}};
  }
}

}  // namespace

std::vector<std::string> projector_set_names() { return names_of(sets); }

Index count_projectors(const CountsSimulation& simulation) {
  const auto letters = static_cast<double>(letters_of(simulation).size());
  return static_cast<Index>(std::pow(letters, simulation.qubits));
}

void validate_projectors(const CountsSimulation& simulation) {
  const double n = std::ldexp(1.0, simulation.qubits);
  const auto refuse = [](bool given, const char* option) {
    if (!given) return;
    throw InputError(fmt::format("--{}: found --projectors, expected settings", option));
  };
  refuse(simulation.readout_error > 0, "readout-error");
  refuse(simulation.settings > 0, "settings");
  require_memory(static_cast<double>(count_projectors(simulation)) * n * 16,
                 fmt::format("{} projectors", count_projectors(simulation)));
}

Json draw_projectors(const CountsSimulation& simulation, const StateFactor& state,
                     const Vector<double>& angles) {
  const std::string letters = letters_of(simulation);
  std::vector<QubitState> states;
  for (const char letter : letters) states.push_back(state_of(letter));
  const RandomStream random(simulation.seed, shot_stream);
  const auto n = static_cast<double>(state.rows());
  Json counts = Json::object();
  for (Index i = 0; i < angles.size(); ++i) {
    stop_if(simulation.interrupt);
    Setting projector;
    std::string label;
    for (Index rest = i; projector.size() < static_cast<std::size_t>(simulation.qubits);) {
      const auto digit = static_cast<std::size_t>(rest) % letters.size();
      projector.push_back(static_cast<std::uint8_t>(digit));
      label.insert(label.begin(), letters[digit]);
      rest /= std::ssize(letters);
    }
    const StateFactor bra = product_bras(states, {projector});
    const double pure = (bra * turned(state, angles[i])).squaredNorm();
    const double p = (1 - simulation.depolarizing) * pure + simulation.depolarizing / n;
    const double mean = static_cast<double>(simulation.shots) * p + simulation.accidentals;
    const auto count =
        static_cast<std::int64_t>(poisson_number(mean, random, static_cast<std::uint64_t>(i)));
    counts[label] = simulation.accidentals > 0
                        ? Json{{"count", count}, {"accidentals", simulation.accidentals}}
                        : Json(count);
  }
  return counts;
}

}  // namespace projfgd

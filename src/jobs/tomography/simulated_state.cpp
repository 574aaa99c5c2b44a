#include "jobs/tomography/simulated_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/tomography/random_experiment.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

constexpr const char* random_name = "random";

/// A pure state by its name; those that are random differ from one another by their number.
StateFactor pure_state(const std::string& name, const CountsSimulation& simulation,
                       std::uint64_t number) {
  require_name("--state", name, simulated_state_names());
  if (name != random_name) return named_state(name, simulation.qubits);
  return random_state(Index{1} << simulation.qubits, 1, simulation.seed + (number << 32));
}

/// "w:0.8,ghz:0.2"
struct Share {
  std::string state;
  double weight;
};

std::vector<Share> parse_mix(const std::string& text) {
  std::vector<Share> shares;
  double sum = 0;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, comma - from);
    const std::size_t colon = part.find(':');
    const double weight =
        colon == std::string::npos ? std::nan("") : parse_number(part.substr(colon + 1));
    if (!(weight > 0 && weight <= 1)) {
      throw InputError(fmt::format(
          "--mix: found {}, expected a state and its weight, as in w:0.8,ghz:0.2", quote(part)));
    }
    shares.push_back({part.substr(0, colon), weight});
    sum += weight;
    from = comma + 1;
  }
  constexpr double rounding = 1e-6;  // of weights that were written with some digits
  if (!(std::abs(sum - 1) <= rounding)) {
    throw InputError(fmt::format("--mix: found weights that sum to {}, expected the sum 1", sum));
  }
  return shares;
}

/// Y on qubit 0.
StateFactor flipped(const StateFactor& state) {
  StateFactor out(state.rows(), state.cols());
  for (Index j = 0; j < state.rows(); ++j) {
    const std::complex<double> unit(0, (j & 1) != 0 ? 1 : -1);
    out.row(j) = unit * state.row(j ^ 1);
  }
  return out;
}

}  // namespace

std::vector<std::string> simulated_state_names() {
  std::vector<std::string> names = state_names();
  names.emplace_back(random_name);
  return names;
}

StateFactor simulated_state(const CountsSimulation& simulation) {
  if (simulation.mix.empty()) return pure_state(simulation.state, simulation, 0);
  const std::vector<Share> shares = parse_mix(simulation.mix);
  StateFactor u(Index{1} << simulation.qubits, std::ssize(shares));
  for (Index k = 0; k < u.cols(); ++k) {
    const Share& share = shares[static_cast<std::size_t>(k)];
    u.col(k) = std::sqrt(share.weight) *
               pure_state(share.state, simulation, static_cast<std::uint64_t>(k)).col(0);
  }
  return normalised(u);
}

Vector<double> drift_angles(double drift, Index measurements) {
  if (measurements < 2) return Vector<double>::Zero(measurements);
  return Vector<double>::LinSpaced(measurements, -drift / 2, drift / 2);
}

StateFactor turned(const StateFactor& state, double angle) {
  return std::cos(angle / 2) * state -
         std::complex<double>(0, std::sin(angle / 2)) * flipped(state);
}

StateFactor drifted(const StateFactor& state, const Vector<double>& angles) {
  const double c = angles.size() > 0 ? angles.array().cos().mean() : 1;
  if (c == 1) return state;
  StateFactor out(state.rows(), 2 * state.cols());
  out << std::sqrt((1 + c) / 2) * state, std::sqrt((1 - c) / 2) * flipped(state);
  return out;
}

StateFactor depolarised(const StateFactor& u, double p) {
  if (p == 0) return u;
  const auto n = static_cast<double>(u.rows());
  const double rest = std::sqrt(p / n);
  const auto eigen = hermitian_eigen<std::complex<double>>(u.adjoint() * u);
  StateFactor root = rest * StateFactor::Identity(u.rows(), u.rows());
  for (Index k = 0; k < u.cols(); ++k) {
    const double value = eigen.values[k];
    if (!(value > 1e-14)) continue;  // a column that the others make up
    const StateFactor axis = u * eigen.vectors.col(k);
    root += ((std::sqrt((1 - p) * value + p / n) - rest) / value) * (axis * axis.adjoint());
  }
  return root;
}

}  // namespace projfgd

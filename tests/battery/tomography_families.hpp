// Experiments on states of known families, to judge tomography by rates instead of by examples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/tomography/fit.hpp"

namespace projfgd::battery {

/// A kind of states: each seed draws another one.
struct StateFamily {
  std::string name;
  StateFactor (*state)(int qubits, std::uint64_t seed);
  StateFactor (*target)(int qubits, const StateFactor& state);  ///< pure, whose fidelity is asked
};

/// pure, rank 2, rank 2 with 5% white noise, GHZ and W with 10%, amplitude-damped GHZ, random mixed
/// of full rank, thermal.
const std::vector<StateFamily>& state_families();

/// What is measured.
struct Design {
  int qubits = 3;
  int shots = 300;            ///< of a setting, or those that the errors of expectations are worth
  int settings = 0;           ///< drawn at random; 0: all
  double readout_error = 0;   ///< of every detector, known from a calibration
  bool expectations = false;  ///< of all Pauli strings instead of counts
};

struct StateExperiment {
  StateFactor truth;
  TomographyData data;  ///< asks for the fidelity with the target and some expectations
};

StateExperiment simulate(const StateFamily& family, const Design& design, std::uint64_t seed);

/// As the program fits by default, on one thread.
StateFit<std::complex<double>> fit(const StateExperiment& experiment, Index rank = 0,
                                   const TomographyInput& input = {});

/// What fit() takes for settings.
RunSettings quiet_settings(Index rank);

/// How often an interval was there and held the truth, and how wide it was.
struct Coverage {
  int intervals = 0, held = 0;
  double width = 0;  ///< of all together

  void add(const Interval& interval, double truth);
  void add(const Coverage& others);
  double rate() const { return static_cast<double>(held) / intervals; }
  double mean_width() const { return width / intervals; }
};

}  // namespace projfgd::battery

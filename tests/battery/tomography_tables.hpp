// The tables of tomography_battery, one function each.
#pragma once

#include "battery/tomography_families.hpp"

namespace projfgd::battery {

struct TableRequest {
  Design design;
  int sets = 50;  ///< of every family
  std::uint64_t seed = 1;
  std::vector<StateFamily> families = state_families();
  Index rank = 2;      ///< of the table of starts
  Index fit_rank = 0;  ///< of the tables of models and of verdicts
  bool errors = true;  ///< intervals too, where the table does not need them
  bool fixed = true;   ///< the fixed models beside the default
  bool each = false;   ///< every set, and counts instead of rates
};

/// How often fits of request.rank end more than 0.1 nats above the best of 20 random starts; those
/// from the spectral start alone beside them.
struct StartRates {
  int fits = 0, far_above = 0, spectral_far_above = 0;
  double most = 0, seconds = 0;  ///< nats above the best; processor time of all fits
};
StartRates rates_of_starts(const StateFamily& family, const TableRequest& request);

struct IntervalRates {
  Coverage fidelity, purity, entropy, largest, paulis;
  double seconds = 0;  ///< processor time of all fits
};
IntervalRates rates_of_intervals(const StateFamily& family, const TableRequest& request);

/// Mean infidelity to the truth: of the default, of the best fixed model, and their ratio.
void show_models(const TableRequest& request);
/// How often intervals hold the truth, and how wide they are.
void show_intervals(const TableRequest& request);
/// How often a fit of a given rank is worse than the best of many random starts.
void show_starts(const TableRequest& request);
/// How often a fit is said not to explain the data, and the state not to be determined, and how
/// often purity 1 is reported though the data reject it.
void show_verdicts(const TableRequest& request);

}  // namespace projfgd::battery

// How far the fitted state can be trusted: error bars, a certificate, what the data leave open and
// where they contradict themselves. Everything is computed from the fit and the data by measures;
// nothing is solved again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/common/certificate.hpp"
#include "jobs/tomography/model.hpp"
#include "projfgd/measures/consistency.hpp"
#include "projfgd/measures/intervals.hpp"

namespace projfgd {

/// An interval and the name of its method in summary.json; `unseen`: the data do not determine the
/// quantity, and the interval is all of its range.
struct QuantityInterval {
  Interval interval;
  bool unseen = false;

  const char* method() const { return unseen ? "undetermined" : "unbiased"; }
};

struct StateTrust {
  std::optional<QuantityInterval> fidelity = {}, purity = {}, entropy = {}, largest = {};
  std::vector<std::optional<QuantityInterval>> expectations = {};  ///< of the observables asked for
  std::vector<std::string> undetermined = {};                      ///< quantities, by name
  bool determined = true;
  std::optional<OptimalityGap> gap = {};  ///< in nats under a likelihood, else in the objective
  std::optional<SettingsConflict> conflict = {};
  bool labels_seem_reversed = false;  ///< of counts whose shots are not known
};

/// How much better any state could explain the data than one that predicts p.
template <class S>
OptimalityGap certify_state(const StateModel<S>& model, const Vector<RealOf<S>>& p);

/// A model that was fitted and its factor, of the rank that was chosen and perhaps with a row of
/// white noise; `predictions` are those of a state of trace one.
template <class S>
struct FittedModelView {
  const AnyOperator<S>& op;
  const Matrix<S>& factor;
};

/// The intervals are left out where `errors` is "none".
template <class S>
StateTrust trust_of(const TomographyData& data, const StateModel<S>& model,
                    const FittedModelView<S>& fitted, const StateFactor& state,
                    const Vector<double>& predictions, double objective, const std::string& errors);

}  // namespace projfgd

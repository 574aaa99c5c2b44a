// How far the fitted state can be trusted: error bars, a certificate, what the data leave open and
// where they contradict themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/common/certificate.hpp"
#include "jobs/tomography/model.hpp"
#include "projfgd/measures/consistency.hpp"
#include "projfgd/measures/intervals.hpp"

namespace projfgd {

/// Data that contradict each other do so by chance with a smaller probability than this.
inline constexpr double contradiction = 1e-6;

/// Up to so many qubits counts that are listed one by one are looked at one by one: the normal
/// matrix of their 4^q coordinates is small.
inline constexpr int most_qubits_of_single_counts = 4;

/// The names of methods in summary.json.
namespace interval_name {
inline constexpr const char* unbiased = "unbiased";
inline constexpr const char* from_purity = "from purity, conservative";
inline constexpr const char* from_eigenvector = "from the eigenvector, conservative";
inline constexpr const char* likelihood_ratio = "likelihood-ratio";
inline constexpr const char* bootstrap = "bootstrap";
/// All values that states have which the data do not reject: wider than an interval of 95%.
inline constexpr const char* fitting = "range that fits the data";
/// All values there are.
inline constexpr const char* undetermined = "undetermined";
}  // namespace interval_name

/// An interval and how it was found. `unseen`: the data do not determine the quantity.
struct QuantityInterval {
  Interval interval;
  const char* method = interval_name::unbiased;
  bool unseen = false;
};

struct StateTrust {
  std::optional<QuantityInterval> fidelity = {}, purity = {}, entropy = {};
  std::vector<QuantityInterval> eigenvalues = {};                  ///< of the largest ones
  std::vector<std::optional<QuantityInterval>> expectations = {};  ///< of the observables asked for
  std::vector<std::optional<QuantityInterval>> negativities = {};  ///< of each qubit
  std::vector<std::optional<QuantityInterval>> strings = {};       ///< of shown_strings()
  std::vector<std::string> undetermined = {};                      ///< quantities, by name
  std::optional<bool> determined = {};  ///< the state; empty where that is not judged
  double widened = 1;  ///< by what intervals were widened, because the state fits worse than noise
  int refits = 0;      ///< that the intervals come from, where it is a bootstrap
  std::optional<OptimalityGap> gap = {};  ///< in nats under a likelihood, else in the objective
  std::optional<SettingsConflict> conflict = {};
  bool labels_seem_reversed = false;  ///< of counts whose shots are not known
};

/// How much better any state could explain the data than one that predicts p; nothing where the
/// user interrupted it.
template <class S>
std::optional<OptimalityGap> certify_state(const StateModel<S>& model, const Vector<RealOf<S>>& p,
                                           const Interrupt& interrupt);

/// A model that was fitted and its factor, of the rank that was chosen and perhaps with a row of
/// white noise; `predictions` are those of a state of trace one.
template <class S>
struct FittedModelView {
  const AnyOperator<S>& op;
  const Matrix<S>& factor;
};

/// Where the residuals are `times_noise` what noise makes them, errors are taken to be as much
/// larger, as is usual for averages of results that disagree (Particle Data Group, "Introduction",
/// scale factor). The intervals are left out where `errors` is "none". They come from the data by
/// measures; only for quantities that data of few qubits do not show, states of full rank are
/// fitted, within the limits of the settings. Nothing is judged once the user wants the run to end:
/// intervals that are not complete are left out. Of a fit that did not converge there are the
/// intervals that the data show by themselves, and no verdict on what they leave open.
template <class S>
StateTrust trust_of(const TomographyData& data, const StateModel<S>& model,
                    const FittedModelView<S>& fitted, const StateFactor& state,
                    const Vector<double>& predictions, const Result<Matrix<S>>& result,
                    double times_noise, const std::string& errors, const RunSettings& settings);

}  // namespace projfgd

// The third step of tomography: the state that explains the data best, and how well other readings
// of the data would do where it does not explain them. Nothing after this step solves anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/common/escape.hpp"
#include "jobs/tomography/model.hpp"
#include "jobs/tomography/trust.hpp"
#include "jobs/tomography/wrong_count.hpp"
#include "projfgd/measures/goodness.hpp"

namespace projfgd {

/// The same data fitted under another assumption, to explain why a fit is poor.
struct OtherFit {
  std::string assumption = {};  ///< in a word, as summary.json names it
  GoodnessTest test = {};       ///< with the degrees of freedom of the fit it is compared with
  Status status = Status::diverged;
  Index iterations = 0;
  double seconds = 0;
};

/// What the steps after it want to know of a fit.
struct FittedState {
  StateFactor state = {};  ///< of trace one
  double trace = 0;        ///< of the answer, before it was scaled to one
  bool converged = false;
  Vector<double> eigenvalues = {};  ///< of the state, descending
  Vector<double> predictions = {};  ///< of the state
  GoodnessTest test = {};           ///< of the state
  GoodnessTest factor_test = {};    ///< of the answer before it was scaled
  std::string note = {};            ///< on the choice of the rank or the way to the answer
  Index rank = 0;                   ///< of the part without white noise
  double white_noise = 0;           ///< weight of the white part
  StateTrust trust = {};
  std::vector<StateFactor> refits = {};  ///< of a bootstrap
  std::optional<OtherFit> labels_reversed = {}, without_readout = {};
  std::optional<WrongCount> wrong_count = {};
};

template <class S>
struct StateFit {
  Answer<S> answer;  ///< iterations, seconds and products of all fits
  FittedState found;
};

/// Chooses the rank where settings.rank is 0, solves, and tests the answer. A converged answer that
/// noise does not explain is compared with what fits of the data with the labels of all settings
/// reversed, and without the readout calibration, would leave; these keep to what is left of the
/// limits. Throws InputError for data that no state explains.
template <class S>
StateFit<S> fit_state(const TomographyInput& input, const TomographyData& data,
                      const StateModel<S>& model, const RunSettings& settings);

}  // namespace projfgd

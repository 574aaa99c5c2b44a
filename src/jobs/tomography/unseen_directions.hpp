// Whether the data see every direction in which a fit can move.
#pragma once

#include "jobs/tomography/trust.hpp"

namespace projfgd {

/// Whether the fit can move in a direction that the data do not see: any such direction has a part
/// in the derivative of a random projector, and leaves its value open.
/// `objective` is that of the fit.
template <class S>
bool leaves_state_open(const TomographyData& data, const StateModel<S>& model,
                       const FittedModelView<S>& fitted, double objective,
                       const Interrupt& interrupt);

}  // namespace projfgd

// From the description of a matrix problem to operator, data and loss.
#pragma once

#include "jobs/matrix/description.hpp"
#include "projfgd/jobs/run.hpp"

namespace projfgd {

/// Operator and data y.
template <class S>
struct Measured {
  AnyOperator<S> op;
  Vector<RealOf<S>> y;
  Index numbers_per_place = 1;  ///< of y for each weight a user gives
};

/// Reads the files of the operator and of the data. Throws InputError unless there is one number
/// for each measurement.
template <class S>
Measured<S> measure(const MatrixDescription& d, InputFiles& inputs);

/// Reads what the loss needs besides. Throws InputError for one that does not suit the data.
template <class S>
AnyLoss<RealOf<S>> make_loss(const MatrixDescription& d, const Measured<S>& measured,
                             InputFiles& inputs);

}  // namespace projfgd

// From the description of a matrix problem to operator, data and loss.
#pragma once

#include <functional>

#include "jobs/matrix/description.hpp"
#include "projfgd/jobs/run.hpp"
#include "projfgd/operators/split.hpp"

namespace projfgd {

/// Operator and data y.
template <class S>
struct Measured {
  AnyOperator<S> op;
  Vector<RealOf<S>> y;
  Index numbers_per_place = 1;  ///< of y for each weight a user gives
  /// The operator of `count` places alone, from the first on; empty where it makes no sense.
  std::function<AnyOperator<S>(Index first, Index count)> some = {};
};

/// Reads the files of the operator and of the data. Throws InputError unless there is one number
/// for each measurement.
template <class S>
Measured<S> measure(const MatrixDescription& d, InputFiles& inputs);

/// Makes the loss of all data, or of this rank's part of them.
template <class R>
using LossMaker = std::function<AnyLoss<R>(const Parts* part)>;

/// Reads what the loss needs besides. Throws InputError for one that does not suit the data.
template <class S>
LossMaker<RealOf<S>> read_loss(const MatrixDescription& d, const Measured<S>& measured,
                               InputFiles& inputs);

}  // namespace projfgd

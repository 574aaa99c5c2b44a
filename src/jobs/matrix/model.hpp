// From the description of a matrix problem to operator, data and loss.
#pragma once

#include <functional>
#include <optional>

#include "jobs/matrix/description.hpp"
#include "jobs/matrix/placed.hpp"
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
  /// The operator as other places know it; nothing where none does.
  std::optional<MatrixOperator<S>> known = {};
};

/// Reads the files of the operator and of the data. Throws InputError unless there is one number
/// for each measurement.
template <class S>
Measured<S> measure(const MatrixDescription& d, InputFiles& inputs);

/// Reads what the loss needs besides. Throws InputError for one that does not suit the data.
template <class S>
MatrixLoss<RealOf<S>> read_loss(const MatrixDescription& d, const Measured<S>& measured,
                                InputFiles& inputs);

}  // namespace projfgd

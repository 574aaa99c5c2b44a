#pragma once

#include <memory>
#include <string>

#include "jobs/matrix/placed.hpp"

namespace projfgd {

/// The operator of a matrix problem on the device of that name, which has so many bytes left.
/// Throws ResourceError from an estimate when a solve with so many columns does not fit.
template <class S>
std::shared_ptr<const PlacedMatrices<S>> matrices_there(const MatrixOperator<S>& op, Index columns,
                                                        const std::string& device, double left);

}  // namespace projfgd

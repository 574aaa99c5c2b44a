#pragma once

#include <memory>
#include <string>

#include "jobs/phase/placed.hpp"

namespace projfgd {

/// Patterns on the device of that name, which has so many bytes left. Throws ResourceError from an
/// estimate when a solve does not fit.
template <class S>
std::shared_ptr<const PlacedPatterns<S>> patterns_there(const BlockOperator<S>& op,
                                                        const std::string& device, double left);

}  // namespace projfgd

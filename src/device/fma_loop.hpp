#pragma once

#include "projfgd/core/factor.hpp"

namespace projfgd::device {

/// Multiply-adds in registers on all of the device, so many by each of its threads and chains, for
/// benchmarks. Waits for their end; how many operations that were.
double multiply_add(Index rounds);

}  // namespace projfgd::device

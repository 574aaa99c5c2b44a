#pragma once

#include <memory>

#include "projfgd/jobs/place.hpp"

namespace projfgd::test {

/// The place of the kernels that the tests were built with, for the jobs, with so many bytes free.
/// Compiled once for all of them.
std::shared_ptr<const Place> emulated(double memory = 1e9);

}  // namespace projfgd::test

#pragma once

#include <functional>

#include "projfgd/core/result.hpp"

namespace projfgd::test {

/// An observer of one type for all tests, so that a solver is compiled once for them.
template <class S>
using Watch = std::function<bool(const Snapshot<Matrix<S>>&)>;

/// One that lets every run go on.
template <class S>
Watch<S> nobody() {
  return [](const auto&) { return true; };
}

}  // namespace projfgd::test

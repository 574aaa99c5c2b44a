// How far the answer of a run may be from the best, whatever its loss and set.
#pragma once

#include <optional>
#include <string>

#include "projfgd/io/json.hpp"
#include "projfgd/jobs/run.hpp"
#include "projfgd/measures/optimality.hpp"

namespace projfgd {

/// What a loss is to a certificate, beside convex.
enum class LossKind { squares, counts, bits };

/// The bound on f - f*, f* the least of all X >= 0 with the trace bound of the problem, or without
/// any where it has none. A set that asks for more than a trace leaves it a bound. `p` is A(X).
/// Nothing where the user interrupted it.
template <class S>
std::optional<OptimalityGap> certify(const Problem<S>& problem, LossKind kind, TraceSet traces,
                                     const Vector<RealOf<S>>& p, const Interrupt& interrupt);

/// The set asks for tr X = tau.
inline TraceSet trace_set(const std::string& constraint) {
  return constraint == "frobenius-sphere" ? TraceSet::exactly : TraceSet::at_most;
}

/// {"value", "unit", "certified"}; a likelihood counts in nats.
Json gap_json(const OptimalityGap& gap, bool likelihood);

}  // namespace projfgd

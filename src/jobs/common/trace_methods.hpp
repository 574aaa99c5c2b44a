// The methods of the comparison: they minimise 1/2 ||A(X) - y||^2 over X >= 0, tr X <= tau.
#pragma once

#include <optional>

#include "projfgd/jobs/methods.hpp"
#include "projfgd/measures/certificate.hpp"

namespace projfgd {

enum class TraceMethod {
  svp,
  rsvp,
  sparse_approx_sdp,
  acc_uni_pd_grad,
  uni_pd_grad,
  nuclear_norm,
};

/// Of a problem that the method may have; see require_method_for().
template <class S>
Result<Matrix<S>> run_trace_method(TraceMethod method, MethodCall<S>& call);

/// The bound on f(U U^H) - f*, f* over the convex set; empty where the loss or the set allow none.
template <class S>
std::optional<OptimalityGap> optimality_gap_of(const Problem<S>& problem, const Matrix<S>& u);

}  // namespace projfgd

// The methods of the comparison: they minimise 1/2 ||A(X) - y||^2 over X >= 0, tr X <= tau.
#pragma once

#include <optional>

#include "projfgd/jobs/methods.hpp"

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

}  // namespace projfgd

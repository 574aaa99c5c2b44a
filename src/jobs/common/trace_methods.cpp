#include "jobs/common/trace_methods.hpp"

#include "projfgd/core/error.hpp"
#include "projfgd/operators/whitened.hpp"
#include "projfgd/solvers/acc_uni_pd_grad.hpp"
#include "projfgd/solvers/nuclear_norm.hpp"
#include "projfgd/solvers/rsvp.hpp"
#include "projfgd/solvers/sparse_approx_sdp.hpp"

namespace projfgd {
namespace {

/// y, or D y where the operator is D A. A weight of 0 leaves 0.
template <class R>
Vector<R> data_of(const AnyLoss<R>& loss, const Vector<R>& diagonal) {
  Vector<R> y;
  loss.start_weights(y);
  for (Index i = 0; i < diagonal.size(); ++i) y[i] = diagonal[i] > 0 ? y[i] / diagonal[i] : 0;
  return y;
}

/// D with W = D^2 of a quadratic loss; empty where W is the identity.
template <class R>
Vector<R> root_of_weights(const AnyLoss<R>& loss) {
  Vector<R> weights;
  const Vector<R> anywhere = Vector<R>::Zero(loss.measurements());
  loss.curvature(anywhere, weights);
  if ((weights.array() == 1).all()) return {};
  return weights.cwiseSqrt();
}

/// The problem as a plain sum of squares.
template <class S, class A>
struct Whitened {
  WhitenedOperator<A> op;
  TraceProblem<WhitenedOperator<A>> problem;

  Whitened(const Problem<S>& p, const A& base)
      : op(base, root_of_weights(p.loss)),
        problem{op, data_of(p.loss, root_of_weights(p.loss)), p.trace_bound} {}
  Whitened(const Whitened&) = delete;
  Whitened& operator=(const Whitened&) = delete;
};

}  // namespace

template <class S>
Result<Matrix<S>> run_trace_method(TraceMethod method, MethodCall<S>& call) {
  const Problem<S>& p = call.problem;
  const Whitened<S, typename MethodCall<S>::Operator> whitened(p, call.op);
  const auto& problem = whitened.problem;
  Matrix<S> start = call.start().factor;
  p.set.project(start);
  const bool published = call.options.step == StepRule::theory;
  switch (method) {
    case TraceMethod::svp:
      return svp(problem, std::move(start), call.options, call.observer);
    case TraceMethod::rsvp:
      return rsvp(problem, std::move(start), call.options, call.observer);
    case TraceMethod::sparse_approx_sdp:
      return sparse_approx_sdp(problem, std::move(start), call.options, {.exact_step = !published},
                               call.observer);
    case TraceMethod::nuclear_norm:
      return nuclear_norm(problem, std::move(start), call.options, {}, call.observer);
    default:
      break;
  }
  UniPdGradOptions own;
  own.accelerated = method == TraceMethod::acc_uni_pd_grad;
  own.refined = !published;
  return acc_uni_pd_grad(problem, std::move(start), call.options, own, call.observer);
}

#define PROJFGD_INSTANTIATE_SCALAR(S) \
  template Result<Matrix<S>> run_trace_method(TraceMethod, MethodCall<S>&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)
#undef PROJFGD_INSTANTIATE_SCALAR

}  // namespace projfgd

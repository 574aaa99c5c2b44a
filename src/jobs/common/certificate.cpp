#include "jobs/common/certificate.hpp"

#include <cmath>
#include <complex>
#include <utility>

namespace projfgd {
namespace {

/// y and W of a quadratic loss, which tells W y and W.
template <class R>
std::pair<Vector<R>, Vector<R>> data_and_weights(const AnyLoss<R>& loss) {
  Vector<R> y, weights;
  loss.start_weights(y);
  loss.curvature(Vector<R>::Zero(loss.measurements()), weights);
  for (Index i = 0; i < y.size(); ++i) y[i] = weights[i] > 0 ? y[i] / weights[i] : R(0);
  return {std::move(y), std::move(weights)};
}

/// e of Poisson's loss, whose slope is e - k / p.
template <class R>
Vector<R> exposures_of(const AnyLoss<R>& loss, const Vector<R>& counts, const Vector<R>& p) {
  Vector<R> exposures;
  loss.gradient(p, exposures);
  for (Index i = 0; i < p.size(); ++i) {
    if (counts[i] > 0) exposures[i] += counts[i] / p[i];
  }
  return exposures;
}

template <class S>
OptimalityGap gap_of(const Problem<S>& problem, LossKind kind, TraceSet traces,
                     const Vector<RealOf<S>>& p, const CertificateOptions& options) {
  using R = RealOf<S>;
  const AnyOperator<S>& op = problem.op;
  const AnyLoss<R>& loss = problem.loss;
  const double f = loss.value(p);
  if (std::isfinite(problem.trace_bound)) {
    return optimality_gap(op, loss, p, problem.trace_bound, traces, options);
  }
  const Index n = op.rows();
  // A larger multiple of X may explain bits better without end.
  if (kind == LossKind::bits || n > options.dense_up_to || !std::isfinite(f)) {
    return {f, true};
  }
  if (kind == LossKind::squares) {
    const auto [y, weights] = data_and_weights(loss);
    Vector<R> white;
    op.forward(Matrix<S>::Identity(n, n), white);
    return optimality_gap(op, loss, p, level_of_squares<R>(white, weights, y, f));
  }
  Vector<R> counts;
  loss.start_weights(counts);
  const double sum = counts.template cast<double>().sum();
  return optimality_gap(op, loss, p, level_of_counts<R>(exposures_of(loss, counts, p), sum, f));
}

}  // namespace

template <class S>
std::optional<OptimalityGap> certify(const Problem<S>& problem, LossKind kind, TraceSet traces,
                                     const Vector<RealOf<S>>& p, const Interrupt& interrupt) {
  CertificateOptions options;
  options.eigen.go_on = [&interrupt] { return !is_interrupted(interrupt); };
  const OptimalityGap gap = gap_of(problem, kind, traces, p, options);
  if (is_interrupted(interrupt)) return std::nullopt;
  return gap;
}

Json gap_json(const OptimalityGap& gap, bool likelihood) {
  return {{"value", gap.value},
          {"unit", likelihood ? "nats" : "objective"},
          {"certified", gap.certified}};
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                                  \
  template std::optional<OptimalityGap> certify(const Problem<S>&, LossKind, TraceSet, \
                                                const Vector<RealOf<S>>&, const Interrupt&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)
#undef PROJFGD_INSTANTIATE_SCALAR

}  // namespace projfgd

#include "jobs/tomography/unseen_directions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "jobs/tomography/measured.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/measures/information.hpp"

namespace projfgd {
namespace {

/// The second derivative of the loss at predictions p of the operator, in nats, and the slope that
/// outcomes have which are not expected.
template <class S>
std::pair<Vector<RealOf<S>>, Vector<RealOf<S>>> derivatives(const TomographyData& data,
                                                            const StateModel<S>& model,
                                                            const Vector<RealOf<S>>& p,
                                                            double objective) {
  using Real = RealOf<S>;
  const Vector<Real> none = Vector<Real>::Zero(p.size());
  if (model.facts.loss == state_loss::poisson) {
    if (const auto* projectors = std::get_if<ProjectorData>(&data.measured)) {
      const Vector<double> exposures = unit_intensity(*projectors) * projectors->exposures;
      return expected_derivatives<Real>(exposures.cast<Real>(), p);
    }
    const auto& counts = std::get<CountsData>(data.measured);
    const Index outcomes = Index{1} << counts.qubits;
    Vector<Real> exposures(p.size());
    for (Index s = 0; s < counts.shots.size(); ++s) {
      exposures.segment(s * outcomes, outcomes).setConstant(static_cast<Real>(counts.shots[s]));
    }
    return expected_derivatives<Real>(exposures, p);
  }
  Vector<Real> curvature;
  model.problem.loss.curvature(p, curvature);
  if (!model.facts.noise.likelihood) {
    // The residual tells the noise, as far as it goes; an exact fit has next to none.
    constexpr double least_noise = 1e-6;
    const auto count = static_cast<double>(p.size());
    const double variance =
        std::max(2 * objective / count,
                 std::pow(least_noise, 2) * static_cast<double>(p.squaredNorm()) / count);
    curvature /= static_cast<Real>(variance);
  }
  return {std::move(curvature), none};
}

/// A state in general position beside the fit. At the fit itself expectations may be as large as
/// they can be; then X >= 0 holds what first derivatives do not see.
template <class S>
Matrix<S> beside(const Matrix<S>& fitted) {
  constexpr double share = 0.1;  // of the factor: near enough, and far above rounding
  Matrix<S> moved(fitted.rows(), fitted.cols());
  fill_normal(RandomStream(1, 0xBE51), moved);
  scale(static_cast<RealOf<S>>(share) * norm(fitted) / norm(moved), moved);
  axpy(1, fitted, moved);
  scale(norm(fitted) / norm(moved), moved);
  return moved;
}

}  // namespace

template <class S>
bool leaves_state_open(const TomographyData& data, const StateModel<S>& model,
                       const FittedModelView<S>& fitted, double objective,
                       const Interrupt& interrupt) {
  const Index n = model.problem.op.rows();
  const Matrix<S> factor = beside<S>(fitted.factor);
  Vector<RealOf<S>> p;
  fitted.op.forward(factor, p);
  auto [curvature, slope] = derivatives<S>(data, model, p, objective);
  const Information<AnyOperator<S>> information(fitted.op, std::move(curvature), std::move(slope),
                                                factor);
  Matrix<S> psi(n, 1);
  fill_normal(RandomStream(1, 0x5EE), psi);
  scale(1 / norm(psi), psi);
  // 2 O V with O = |psi><psi|; the row of white noise, where there is one, takes tr O / n.
  const Matrix<S> u = factor.topRows(n);
  Matrix<S> derivative = Matrix<S>::Zero(factor.rows(), u.cols());
  derivative.topRows(n) = RealOf<S>(2) * psi * (psi.adjoint() * u);
  if (factor.rows() > n) {
    derivative.row(n) = factor.row(n) * (RealOf<S>(2) / static_cast<RealOf<S>>(n));
  }
  const double ignorance = variance_of_ignorance(1);
  return information.variance(derivative, ignorance, interrupt) > ignorance;
}

#define PROJFGD_INSTANTIATE(S)                                                 \
  template bool leaves_state_open(const TomographyData&, const StateModel<S>&, \
                                  const FittedModelView<S>&, double, const Interrupt&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

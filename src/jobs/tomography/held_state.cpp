#include "jobs/tomography/held_state.hpp"

#include <complex>

#include "jobs/tomography/mean_curvature.hpp"

namespace projfgd {

template <class S>
HeldState<S> held_state(const AnyOperator<S>& op, const AnyLoss<RealOf<S>>& loss,
                        const Matrix<S>& u, const Vector<RealOf<S>>& p) {
  using Real = RealOf<S>;
  HermitianEigen<S> eigen = hermitian_eigen<S>(u * u.adjoint());
  Vector<Real> w;
  Matrix<S> image;
  loss.gradient(p, w);
  op.adjoint_times(w, eigen.vectors, image);
  const Vector<Real> slopes =
      eigen.vectors.conjugate().cwiseProduct(image).colwise().sum().real().transpose();
  return {std::move(eigen.vectors), eigen.values.cwiseMax(Real(0)).template cast<double>(),
          slopes.cwiseMax(Real(0)).template cast<double>(), mean_curvature<S>(op, loss, p)};
}

#define PROJFGD_INSTANTIATE(S)                                                       \
  template HeldState<S> held_state(const AnyOperator<S>&, const AnyLoss<RealOf<S>>&, \
                                   const Matrix<S>&, const Vector<RealOf<S>>&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

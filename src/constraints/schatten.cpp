#include "projfgd/constraints/schatten.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>

#include "projfgd/constraints/simplex.hpp"

namespace projfgd {
namespace {

/// U <- U V diag(new_k / sigma_k) V^H, where change turns the sigma_k into the new ones.
template <class S, class Change>
void change_singular_values(Matrix<S>& u, const Change& change) {
  using Real = RealOf<S>;
  const Index rank = std::min(u.rows(), u.cols());
  const Eigen::HouseholderQR<Matrix<S>> qr(u);
  const Matrix<S> triangle = qr.matrixQR().topRows(rank).template triangularView<Eigen::Upper>();
  const Eigen::JacobiSVD<Matrix<S>> svd(triangle, Eigen::ComputeFullV);
  Vector<Real> values = svd.singularValues();
  change(values);
  if (values == svd.singularValues()) return;
  Vector<Real> ratios = Vector<Real>::Ones(u.cols());
  for (Index k = 0; k < rank; ++k) {
    if (svd.singularValues()[k] > 0) ratios[k] = values[k] / svd.singularValues()[k];
  }
  u = (u * (svd.matrixV() * ratios.asDiagonal() * svd.matrixV().adjoint())).eval();
}

}  // namespace

template <class S>
void NuclearBall::project(Matrix<S>& u) const {
  const double columns = static_cast<double>(std::min(u.rows(), u.cols()));
  if (norm(u) * std::sqrt(columns) <= radius_) return;
  change_singular_values(
      u, [this](Vector<RealOf<S>>& values) { project_simplex<RealOf<S>>(values, radius_); });
}

template <class S>
void SpectralBall::project(Matrix<S>& u) const {
  if (norm(u) <= radius_) return;
  change_singular_values(u, [this](Vector<RealOf<S>>& values) {
    values = values.cwiseMin(static_cast<RealOf<S>>(radius_));
  });
}

template void NuclearBall::project(Matrix<float>&) const;
template void NuclearBall::project(Matrix<double>&) const;
template void NuclearBall::project(Matrix<std::complex<float>>&) const;
template void NuclearBall::project(Matrix<std::complex<double>>&) const;
template void SpectralBall::project(Matrix<float>&) const;
template void SpectralBall::project(Matrix<double>&) const;
template void SpectralBall::project(Matrix<std::complex<float>>&) const;
template void SpectralBall::project(Matrix<std::complex<double>>&) const;

}  // namespace projfgd

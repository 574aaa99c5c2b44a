#include "projfgd/constraints/schatten.hpp"

#include <cmath>

#include "projfgd/constraints/simplex.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {
namespace {

/// U <- U V diag(new_k / sigma_k) V^H, where change turns the sigma_k into the new ones. With
/// U = Q R the singular values are those of the small R, without the squaring of U^H U.
template <class S, class Change>
void change_singular_values(Matrix<S>& u, const Change& change) {
  using Real = RealOf<S>;
  const Matrix<S> r = triangular_factor(u);
  Matrix<S> square = Matrix<S>::Zero(u.cols(), u.cols());
  square.topRows(r.rows()) = r;
  const SingularValues<S> svd = singular_values(square);
  Vector<Real> values = svd.values;
  change(values);
  if (values == svd.values) return;
  Matrix<S> scaled = svd.right, ratios, changed;
  for (Index k = 0; k < scaled.cols(); ++k) {
    if (svd.values[k] > 0) scaled.col(k) *= values[k] / svd.values[k];
  }
  multiply(scaled, Matrix<S>(svd.right.adjoint()), ratios);
  multiply(u, ratios, changed);
  u.swap(changed);
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

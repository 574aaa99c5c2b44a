#include "projfgd/measures/distance.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace projfgd {

template <class S>
Matrix<S> procrustes(const Matrix<S>& u, const Matrix<S>& v) {
  const Eigen::JacobiSVD<Matrix<S>, Eigen::NoQRPreconditioner> svd(
      gram(v, u), Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().adjoint();
}

template <class S>
RealOf<S> product_spectral_norm(const Matrix<S>& u) {
  return Eigen::SelfAdjointEigenSolver<Matrix<S>>(gram(u, u), Eigen::EigenvaluesOnly)
      .eigenvalues()
      .maxCoeff();
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                \
  template Matrix<S> procrustes(const Matrix<S>&, const Matrix<S>&); \
  template RealOf<S> product_spectral_norm(const Matrix<S>&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)

}  // namespace projfgd

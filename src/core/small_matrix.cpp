#include "projfgd/core/small_matrix.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>

namespace projfgd {
namespace {

/// The same scalar in double precision.
template <class S>
using Wide = std::conditional_t<is_complex<S>, std::complex<double>, double>;

}  // namespace

template <class S>
HermitianEigen<S> hermitian_eigen(const Matrix<S>& a) {
  const Eigen::SelfAdjointEigenSolver<Matrix<Wide<S>>> eigen(a.template cast<Wide<S>>());
  return {eigen.eigenvalues().template cast<RealOf<S>>(), eigen.eigenvectors().template cast<S>()};
}

template <class S>
Vector<RealOf<S>> hermitian_eigenvalues(const Matrix<S>& a) {
  const Eigen::SelfAdjointEigenSolver<Matrix<Wide<S>>> eigen(a.template cast<Wide<S>>(),
                                                             Eigen::EigenvaluesOnly);
  return eigen.eigenvalues().template cast<RealOf<S>>();
}

template <class S>
Matrix<S> triangular_factor(const Matrix<S>& u) {
  const Eigen::HouseholderQR<Matrix<S>> qr(u);
  return qr.matrixQR()
      .topRows(std::min(u.rows(), u.cols()))
      .template triangularView<Eigen::Upper>();
}

template <class S>
SingularValues<S> singular_values(const Matrix<S>& a) {
  const Eigen::JacobiSVD<Matrix<Wide<S>>, Eigen::NoQRPreconditioner> svd(
      a.template cast<Wide<S>>(), Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU().template cast<S>(), svd.singularValues().template cast<RealOf<S>>(),
          svd.matrixV().template cast<S>()};
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                 \
  template HermitianEigen<S> hermitian_eigen(const Matrix<S>&);       \
  template Vector<RealOf<S>> hermitian_eigenvalues(const Matrix<S>&); \
  template Matrix<S> triangular_factor(const Matrix<S>&);             \
  template SingularValues<S> singular_values(const Matrix<S>&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)

}  // namespace projfgd

#include "projfgd/core/small_matrix.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

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
SingularValues<S> singular_values(const Matrix<S>& a) {
  const Eigen::JacobiSVD<Matrix<Wide<S>>, Eigen::NoQRPreconditioner> svd(
      a.template cast<Wide<S>>(), Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU().template cast<S>(), svd.singularValues().template cast<RealOf<S>>(),
          svd.matrixV().template cast<S>()};
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                           \
  template HermitianEigen<S> hermitian_eigen(const Matrix<S>&); \
  template SingularValues<S> singular_values(const Matrix<S>&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)

}  // namespace projfgd

#include "projfgd/measures/distance.hpp"

#include "projfgd/core/small_matrix.hpp"

namespace projfgd {

template <class S>
Matrix<S> procrustes(const Matrix<S>& u, const Matrix<S>& v) {
  const SingularValues<S> svd = singular_values(gram(v, u));
  Matrix<S> rotation;
  multiply(svd.left, Matrix<S>(svd.right.adjoint()), rotation);
  return rotation;
}

template <class S>
RealOf<S> product_spectral_norm(const Matrix<S>& u) {
  return hermitian_eigenvalues(gram(u, u)).maxCoeff();
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                \
  template Matrix<S> procrustes(const Matrix<S>&, const Matrix<S>&); \
  template RealOf<S> product_spectral_norm(const Matrix<S>&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)

}  // namespace projfgd

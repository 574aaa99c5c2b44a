#include "projfgd/core/eigenpairs.hpp"

namespace projfgd {

template class LargestEigenpairs<Matrix<float>>;
template class LargestEigenpairs<Matrix<double>>;
template class LargestEigenpairs<Matrix<std::complex<float>>>;
template class LargestEigenpairs<Matrix<std::complex<double>>>;

}  // namespace projfgd

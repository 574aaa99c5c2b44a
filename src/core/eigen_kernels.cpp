#include "core/eigen_kernels.hpp"

#if EIGEN_VERSION_AT_LEAST(3, 4, 0) && !EIGEN_VERSION_AT_LEAST(3, 4, 90)
PROJFGD_EIGEN_KERNELS()
#endif

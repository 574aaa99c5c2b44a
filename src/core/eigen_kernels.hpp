// The inner loops of Eigen's products, which src/core/eigen_kernels.cpp compiles once for all of
// us. Part of the precompiled headers; without it every source compiles its own, with the same
// result.
#pragma once

#include <Eigen/Core>
#include <complex>

// The products of Eigen 3.4 with matrices of column-major order, and with their adjoints.
#define PROJFGD_EIGEN_MAPPER(S, ORDER) \
  Eigen::internal::const_blas_data_mapper<S, Eigen::Index, Eigen::ORDER>
#define PROJFGD_EIGEN_MATRIX_VECTOR(HOW, S, CONJUGATE)                                   \
  HOW template struct Eigen::internal::general_matrix_vector_product<                    \
      Eigen::Index, S, PROJFGD_EIGEN_MAPPER(S, ColMajor), Eigen::ColMajor, CONJUGATE, S, \
      PROJFGD_EIGEN_MAPPER(S, RowMajor), false>;                                         \
  HOW template struct Eigen::internal::general_matrix_vector_product<                    \
      Eigen::Index, S, PROJFGD_EIGEN_MAPPER(S, RowMajor), Eigen::RowMajor, CONJUGATE, S, \
      PROJFGD_EIGEN_MAPPER(S, ColMajor), false>;
#define PROJFGD_EIGEN_BLOCK(HOW, S, LEFT, RIGHT)                                               \
  HOW template struct Eigen::internal::gebp_kernel<                                            \
      S, S, Eigen::Index, Eigen::internal::blas_data_mapper<S, Eigen::Index, Eigen::ColMajor>, \
      Eigen::internal::gebp_traits<S, S>::mr, Eigen::internal::gebp_traits<S, S>::nr, LEFT,    \
      RIGHT>;
#define PROJFGD_EIGEN_REAL(HOW, S)           \
  PROJFGD_EIGEN_MATRIX_VECTOR(HOW, S, false) \
  PROJFGD_EIGEN_BLOCK(HOW, S, false, false)
#define PROJFGD_EIGEN_COMPLEX(HOW, S)       \
  PROJFGD_EIGEN_REAL(HOW, S)                \
  PROJFGD_EIGEN_MATRIX_VECTOR(HOW, S, true) \
  PROJFGD_EIGEN_BLOCK(HOW, S, true, false)  \
  PROJFGD_EIGEN_BLOCK(HOW, S, false, true)
#define PROJFGD_EIGEN_KERNELS(HOW)                \
  PROJFGD_EIGEN_REAL(HOW, float)                  \
  PROJFGD_EIGEN_REAL(HOW, double)                 \
  PROJFGD_EIGEN_COMPLEX(HOW, std::complex<float>) \
  PROJFGD_EIGEN_COMPLEX(HOW, std::complex<double>)

#if EIGEN_VERSION_AT_LEAST(3, 4, 0) && !EIGEN_VERSION_AT_LEAST(3, 4, 90)
PROJFGD_EIGEN_KERNELS(extern)
#endif

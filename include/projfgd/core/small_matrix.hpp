// Dense decompositions of small (r x r) matrices, compiled once: Eigen's are slow to compile.
// Single precision is worked out in double.
#pragma once

#include "projfgd/core/factor.hpp"

namespace projfgd {

template <class S>
struct HermitianEigen {
  Vector<RealOf<S>> values;  ///< ascending
  Matrix<S> vectors;         ///< orthonormal columns
};

/// Eigenvalues and vectors of a Hermitian matrix, of which only the lower triangle is read.
template <class S>
HermitianEigen<S> hermitian_eigen(const Matrix<S>& a);

/// The values alone, ascending.
template <class S>
Vector<RealOf<S>> hermitian_eigenvalues(const Matrix<S>& a);

/// The R of U = Q R, with as many rows as U has columns, but never more than U has.
template <class S>
Matrix<S> triangular_factor(const Matrix<S>& u);

/// A = Q diag(s) V^H
template <class S>
struct SingularValues {
  Matrix<S> left;
  Vector<RealOf<S>> values;  ///< descending
  Matrix<S> right;
};

/// The singular value decomposition of a square matrix.
template <class S>
SingularValues<S> singular_values(const Matrix<S>& a);

}  // namespace projfgd

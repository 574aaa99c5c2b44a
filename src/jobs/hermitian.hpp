// Matrices that come from files and should be Hermitian.
#pragma once

#include <fmt/format.h>

#include <filesystem>

#include "projfgd/core/error.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {

/// Relative error of what was written in single precision.
inline constexpr double rounding_of_files = 1e-6;

template <class S>
bool is_hermitian(const Matrix<S>& m) {
  return m.rows() == m.cols() && (m - m.adjoint()).norm() <= rounding_of_files * m.norm();
}

/// U with U U^H = X. Throws InputError naming the file unless X is positive semidefinite.
template <class S>
Matrix<S> factor_of(const Matrix<S>& x, const std::filesystem::path& path) {
  const auto eigen = hermitian_eigen(x);
  if (eigen.values[0] < -rounding_of_files * x.norm()) {
    throw InputError(
        fmt::format("{}: found a Hermitian matrix with the eigenvalue {:.3g}, expected a positive "
                    "semidefinite one or a factor",
                    path.string(), eigen.values[0]));
  }
  return eigen.vectors * eigen.values.cwiseMax(RealOf<S>(0)).cwiseSqrt().asDiagonal();
}

}  // namespace projfgd

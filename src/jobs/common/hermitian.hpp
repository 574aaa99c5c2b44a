// Matrices that come from files and should be Hermitian.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "projfgd/core/error.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {

/// Relative error of what was written in single precision.
inline constexpr double rounding_of_files = 1e-6;

template <class S>
bool is_hermitian(const Matrix<S>& m, double tolerance = rounding_of_files) {
  return m.rows() == m.cols() && (m - m.adjoint()).norm() <= tolerance * m.norm();
}

/// U with U U^H = X, for the Hermitian part of X. Throws InputError naming the file unless that is
/// positive semidefinite, up to what X lacks to be Hermitian.
template <class S>
Matrix<S> factor_of(const Matrix<S>& x, const std::filesystem::path& path) {
  const auto eigen = hermitian_eigen<S>((x + x.adjoint()) / RealOf<S>(2));
  if (eigen.values[0] < -rounding_of_files * x.norm() - (x - x.adjoint()).norm()) {
    throw InputError(
        fmt::format("{}: found a Hermitian matrix with the eigenvalue {:.3g}, expected a positive "
                    "semidefinite one or a factor",
                    path.string(), eigen.values[0]));
  }
  // The root of what rounding leaves of an eigenvalue 0 is far from 0.
  using Real = RealOf<S>;
  const Vector<Real>& values = eigen.values;
  const Real rounding =
      static_cast<Real>(x.rows()) * std::numeric_limits<Real>::epsilon() * values.maxCoeff();
  const Vector<Real> roots =
      (values.array() > rounding).select(values.cwiseMax(Real(0)).cwiseSqrt(), Real(0));
  return eigen.vectors * roots.asDiagonal();
}

}  // namespace projfgd

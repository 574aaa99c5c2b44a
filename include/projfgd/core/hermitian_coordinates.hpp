#pragma once

#include <cmath>
#include <complex>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Real coordinates of a Hermitian X in which <X, Y> is their dot product: for each column j
/// sqrt(2) Re X_ij and sqrt(2) Im X_ij for i < j, then X_jj. Of an X that is Hermitian but for
/// rounding the mean of both triangles is taken. `out` has room for n (n + 1) / 2 real or n^2
/// complex ones.
template <class X, class Real>
void to_coordinates(const X& x, Real* out) {
  using S = typename X::Scalar;
  const Real root = std::sqrt(Real(2));
  for (Index j = 0; j < x.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      const S mean = (x(i, j) + Eigen::numext::conj(x(j, i))) / Real(2);
      *out++ = root * std::real(mean);
      if constexpr (is_complex<S>) *out++ = root * std::imag(mean);
    }
    *out++ = std::real(x(j, j));
  }
}

/// X from its coordinates; it has its size.
template <class Real, class X>
void from_coordinates(const Real* in, X& x) {
  using S = typename X::Scalar;
  const Real root = std::sqrt(Real(2));
  for (Index j = 0; j < x.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      S entry = *in++;
      if constexpr (is_complex<S>) entry += S(0, *in++);
      x(i, j) = entry / root;
      x(j, i) = Eigen::numext::conj(x(i, j));
    }
    x(j, j) = *in++;
  }
}

}  // namespace projfgd

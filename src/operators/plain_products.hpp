// Products of complex numbers spelt out: those of the standard library check for infinities.
#pragma once

#include <cmath>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// a b
template <class S>
S plain_product(const S& a, const S& b) {
  return S(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}

/// conj(a) b
template <class S>
S conjugate_product(const S& a, const S& b) {
  return S(a.real() * b.real() + a.imag() * b.imag(), a.real() * b.imag() - a.imag() * b.real());
}

/// The diagonal of (n diag(d))^{+1/2}, where entries below `least` times the largest are taken for
/// 0.
template <class R>
Vector<R> inverse_roots(const Vector<double>& diagonal, Index n, double least) {
  const double smallest = least * diagonal.maxCoeff(), size = static_cast<double>(n);
  return diagonal.unaryExpr([=](double d) { return d > smallest ? 1 / std::sqrt(size * d) : 0.0; })
      .template cast<R>();
}

}  // namespace projfgd

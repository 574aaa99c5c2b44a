#pragma once

#include <cmath>
#include <complex>

namespace projfgd {

/// |v|^2. Complex numbers of another place bring their own overloads of both.
template <class R>
constexpr R squared_modulus(const std::complex<R>& v) {
  return std::norm(v);
}

/// v / |v|, and 1 for 0.
template <class R>
std::complex<R> phase(std::complex<R> v) {
  const R size = std::sqrt(squared_modulus(v));
  return size > 0 ? v / size : std::complex<R>(1);
}

}  // namespace projfgd

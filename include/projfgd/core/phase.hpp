#pragma once

#include <cmath>
#include <complex>

namespace projfgd {

/// v / |v|, and 1 for 0.
template <class R>
std::complex<R> phase(std::complex<R> v) {
  const R size = std::sqrt(std::norm(v));
  return size > 0 ? v / size : std::complex<R>(1);
}

}  // namespace projfgd

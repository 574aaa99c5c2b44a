// The parts of a number, real or complex, in code for a device: not all of std::complex is.
#pragma once

#include <complex>

#include "device/launch.hpp"

namespace projfgd::device {

/// Aligned so that both parts are read at once.
template <class R>
struct alignas(2 * sizeof(R)) Complex {
  R re, im;
};

template <class R>
PROJFGD_ON_DEVICE R real_of(const R& x) {
  return x;
}
template <class R>
PROJFGD_ON_DEVICE R imag_of(const R&) {
  return 0;
}
template <class R>
PROJFGD_ON_DEVICE R real_of(const std::complex<R>& x) {
  return reinterpret_cast<const R*>(&x)[0];
}
template <class R>
PROJFGD_ON_DEVICE R imag_of(const std::complex<R>& x) {
  return reinterpret_cast<const R*>(&x)[1];
}
template <class R>
PROJFGD_ON_DEVICE void set(R& x, double re, double) {
  x = static_cast<R>(re);
}
template <class R>
PROJFGD_ON_DEVICE void set(std::complex<R>& x, double re, double im) {
  reinterpret_cast<R*>(&x)[0] = static_cast<R>(re);
  reinterpret_cast<R*>(&x)[1] = static_cast<R>(im);
}

}  // namespace projfgd::device

// Complex numbers in code for a device: not all of std::complex is. Functions of an element see
// these instead (core/phase_elements.hpp), and the arrays are the same bytes.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>

#include "device/launch.hpp"

namespace projfgd::device {

/// Aligned so that both parts are read at once.
template <class R>
struct alignas(2 * sizeof(R)) Complex {
  R re, im;

  Complex() = default;
  PROJFGD_ON_DEVICE constexpr Complex(R real, R imaginary) : re(real), im(imaginary) {}
  PROJFGD_ON_DEVICE constexpr explicit Complex(R real) : re(real), im(0) {}

  PROJFGD_ON_DEVICE constexpr R real() const { return re; }
  PROJFGD_ON_DEVICE constexpr R imag() const { return im; }
  PROJFGD_ON_DEVICE constexpr Complex& operator*=(R a) { return *this = {re * a, im * a}; }
  PROJFGD_ON_DEVICE constexpr Complex& operator=(R a) { return *this = {a, R(0)}; }

  friend PROJFGD_ON_DEVICE constexpr Complex operator+(const Complex& x, const Complex& y) {
    return {x.re + y.re, x.im + y.im};
  }
  friend PROJFGD_ON_DEVICE constexpr Complex operator-(const Complex& x, const Complex& y) {
    return {x.re - y.re, x.im - y.im};
  }
  friend PROJFGD_ON_DEVICE constexpr Complex operator*(R a, const Complex& x) {
    return {a * x.re, a * x.im};
  }
  friend PROJFGD_ON_DEVICE constexpr Complex operator*(const Complex& x, R a) { return a * x; }
  friend PROJFGD_ON_DEVICE constexpr Complex operator/(const Complex& x, R a) {
    return {x.re / a, x.im / a};
  }
};

// The same of real numbers, for kernels of both.
template <std::floating_point R>
PROJFGD_ON_DEVICE constexpr R conjugate(R x) {
  return x;
}
template <class R>
PROJFGD_ON_DEVICE constexpr Complex<R> conjugate(const Complex<R>& x) {
  return {x.re, -x.im};
}
template <std::floating_point R>
PROJFGD_ON_DEVICE constexpr R product(R a, R b) {
  return a * b;
}
/// Re conj(a) b
template <std::floating_point R>
PROJFGD_ON_DEVICE constexpr R real_product(R a, R b) {
  return a * b;
}
template <class R>
PROJFGD_ON_DEVICE constexpr R real_product(const Complex<R>& a, const Complex<R>& b) {
  return a.re * b.re + a.im * b.im;
}

/// a b
template <class R>
PROJFGD_ON_DEVICE constexpr Complex<R> product(const Complex<R>& a, const Complex<R>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// conj(a) b
template <class R>
PROJFGD_ON_DEVICE constexpr Complex<R> conjugate_product(const Complex<R>& a, const Complex<R>& b) {
  return {a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}

template <class R>
PROJFGD_ON_DEVICE constexpr R squared_modulus(const Complex<R>& v) {
  return v.re * v.re + v.im * v.im;
}
/// v / |v|, and 1 for 0.
template <class R>
PROJFGD_ON_DEVICE constexpr Complex<R> phase(const Complex<R>& v) {
  const R size = std::sqrt(squared_modulus(v));
  return size > 0 ? v / size : Complex<R>{1, 0};
}

/// An array as code for a device sees it.
template <class R>
PROJFGD_ON_DEVICE R* seen(R* data) {
  return data;
}
template <class R>
PROJFGD_ON_DEVICE Complex<R>* seen(std::complex<R>* data) {
  return reinterpret_cast<Complex<R>*>(data);
}
template <class R>
PROJFGD_ON_DEVICE const Complex<R>* seen(const std::complex<R>* data) {
  return reinterpret_cast<const Complex<R>*>(data);
}
template <class T>
using SeenAs = std::remove_pointer_t<decltype(seen(static_cast<T*>(nullptr)))>;

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

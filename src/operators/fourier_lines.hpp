// Fourier transforms of single lines and of bundles of them, on the library below: FFTW.
#pragma once

#include <fftw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/core/factor.hpp"

namespace projfgd::fourier {

/// FFTW's functions by precision.
template <class R>
struct Fftw;
#define PROJFGD_FFTW(R, prefix)                               \
  template <>                                                 \
  struct Fftw<R> {                                            \
    using Complex = prefix##_complex;                         \
    using Plan = prefix##_plan;                               \
    static constexpr auto allocate = prefix##_malloc;         \
    static constexpr auto release = prefix##_free;            \
    static constexpr auto plan_many = prefix##_plan_many_dft; \
    static constexpr auto execute = prefix##_execute_dft;     \
    static constexpr auto destroy = prefix##_destroy_plan;    \
  };
PROJFGD_FFTW(double, fftw)
PROJFGD_FFTW(float, fftwf)
#undef PROJFGD_FFTW

/// Two cache lines: what is read and written together when columns are gathered.
template <class R>
constexpr Index bundle = 128 / sizeof(std::complex<R>);

enum class Direction { forward = FFTW_FORWARD, backward = FFTW_BACKWARD };

[[noreturn]] inline void fail_without_memory() {
  throw ResourceError("no memory left for a Fourier transform");
}

/// Aligned work space of one thread, kept between calls.
template <class R>
class WorkSpace {
 public:
  using Complex = std::complex<R>;
  WorkSpace() = default;
  WorkSpace(const WorkSpace&) = delete;
  WorkSpace& operator=(const WorkSpace&) = delete;
  ~WorkSpace() { Fftw<R>::release(data_); }

  Complex* at_least(Index size) {
    if (size > size_) {
      Fftw<R>::release(data_);
      size_ = 0;
      data_ = static_cast<Complex*>(Fftw<R>::allocate(size * sizeof(Complex)));
      if (data_ == nullptr) fail_without_memory();
      size_ = size;
    }
    return data_;
  }

 private:
  Complex* data_ = nullptr;
  Index size_ = 0;
};

template <class R>
std::complex<R>* work_space(Index size) {
  static thread_local WorkSpace<R> space;
  return space.at_least(size);
}

/// FFTW's planner may be used by one thread at a time.
inline std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

/// Where lines are in memory: element k of line c at [k * stride + c * distance].
struct Layout {
  Index stride, distance;
};

/// One FFTW plan: `count` transforms of length n.
template <class R>
class Plan {
 public:
  /// In place.
  Plan(Index n, Index count, Layout layout, Direction direction)
      : Plan(n, count, layout, layout, direction, true) {}
  /// From one array to another.
  Plan(Index n, Index count, Layout from, Layout to, Direction direction)
      : Plan(n, count, from, to, direction, false) {}
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    const std::lock_guard lock(planner());
    Fftw<R>::destroy(plan_);
  }

  void operator()(std::complex<R>* data) const { (*this)(data, data); }
  void operator()(std::complex<R>* from, std::complex<R>* to) const {
    Fftw<R>::execute(plan_, raw(from), raw(to));
  }

 private:
  static auto* raw(std::complex<R>* data) {
    return reinterpret_cast<typename Fftw<R>::Complex*>(data);
  }

  Plan(Index n, Index count, Layout from, Layout to, Direction direction, bool in_place) {
    const std::lock_guard lock(planner());
    WorkSpace<R> here, there;  // the planner looks at addresses alone: no memory is touched
    auto* in = raw(here.at_least(1));
    auto* out = in_place ? in : raw(there.at_least(1));
    const int length = static_cast<int>(n);
    plan_ = Fftw<R>::plan_many(1, &length, static_cast<int>(count), in, nullptr,
                               static_cast<int>(from.stride), static_cast<int>(from.distance), out,
                               nullptr, static_cast<int>(to.stride), static_cast<int>(to.distance),
                               static_cast<int>(direction), FFTW_ESTIMATE);
    if (plan_ == nullptr) throw ResourceError(fmt::format("no Fourier transform of length {}", n));
  }

  typename Fftw<R>::Plan plan_;
};

inline bool is_smooth(Index n) {
  for (const Index p : {2, 3, 5, 7, 11, 13}) {
    while (n % p == 0) n /= p;
  }
  return n == 1;
}

inline bool is_prime(Index n) {
  if (n < 2) return false;
  for (Index d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return true;
}

/// Whether Rader's convolution of length n - 1 is the better way.
inline bool suits_convolution(Index n) {
  return n > 16 && n < 100000 && is_prime(n) && is_smooth(n - 1);
}

inline Index power_mod(Index base, Index exponent, Index p) {
  Index result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base % p;
    base = base * base % p;
  }
  return result;
}

/// The smallest g whose powers are all of 1, ..., p - 1.
inline Index primitive_root(Index p) {
  std::vector<Index> factors;
  Index rest = p - 1;
  for (Index d = 2; d <= rest; ++d) {
    if (rest % d == 0) factors.push_back(d);
    while (rest % d == 0) rest /= d;
  }
  for (Index g = 2;; ++g) {
    if (std::none_of(factors.begin(), factors.end(),
                     [&](Index f) { return power_mod(g, (p - 1) / f, p) == 1; })) {
      return g;
    }
  }
}

/// A bundle of lines of prime length n, element k of line c at data[k * bundle + c], in place, by
/// Rader's convolution. With g a primitive root,
///   X(g^-q) = x(0) + sum_k x(g^k) w(q - k),   w(q) = exp(-+2 pi i g^-q / n),
/// two transforms of length n - 1. Gathering and scattering are left to the caller's copies. The
/// backward transform takes the inverse of g, so that it reads what the forward one left in its
/// order.
template <class R>
class ConvolutionTransform {
 public:
  using Complex = std::complex<R>;

  ConvolutionTransform(Index n, Direction direction)
      : n_(n),
        there_(n - 1, bundle<R>, {bundle<R>, 1}, Direction::forward),
        back_(n - 1, bundle<R>, {bundle<R>, 1}, Direction::backward),
        input_(1),
        output_(1),
        kernel_(n - 1) {
    Index g = primitive_root(n), inverse = power_mod(g, n - 2, n);
    if (direction == Direction::backward) std::swap(g, inverse);
    const double sign = direction == Direction::forward ? -1 : 1;
    Plan<double> plan(n - 1, 1, {1, 1}, Direction::forward);
    WorkSpace<double> space;
    std::complex<double>* kernel = space.at_least(n - 1);
    Index power = 1, inverse_power = 1;
    for (Index q = 0; q < n - 1; ++q) {
      input_.push_back(power);
      output_.push_back(inverse_power);
      kernel[q] = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(inverse_power) /
                                      static_cast<double>(n));
      power = power * g % n;
      inverse_power = inverse_power * inverse % n;
    }
    plan(kernel);
    for (Index q = 0; q < n - 1; ++q) {
      kernel_[q] = static_cast<Complex>(kernel[q] / static_cast<double>(n - 1));
    }
  }

  /// data holds x(0) and then x(g^k), the order of input(); leaves X(0), X(g^-q), that of output().
  void operator()(Complex* data) const {
    Complex* body = data + bundle<R>;
    there_(body);
    std::array<Complex, bundle<R>> first;
    for (Index c = 0; c < bundle<R>; ++c) {
      first[c] = data[c];
      data[c] += body[c];
    }
    for (Index q = 0; q < n_ - 1; ++q) {
      const R re = kernel_[q].real(), im = kernel_[q].imag();
      R* line = reinterpret_cast<R*>(body + q * bundle<R>);
      for (Index c = 0; c < bundle<R>; ++c) {
        const R a = line[2 * c], b = line[2 * c + 1];
        line[2 * c] = a * re - b * im;
        line[2 * c + 1] = a * im + b * re;
      }
    }
    for (Index c = 0; c < bundle<R>; ++c) body[c] += first[c];
    back_(body);
  }

  const std::vector<Index>& input() const { return input_; }
  const std::vector<Index>& output() const { return output_; }

 private:
  Index n_;
  Plan<R> there_, back_;
  std::vector<Index> input_, output_;
  std::vector<Complex> kernel_;
};

}  // namespace projfgd::fourier

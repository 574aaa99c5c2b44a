// Counter-based random numbers: the value at (seed, stream, index) is a pure function of the
// three, so it does not matter which thread asks, in what order, or how many there are.
#pragma once

#include <cstdint>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Names a sequence of independent random numbers. Different purposes take different streams.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  /// 64 random bits.
  std::uint64_t bits(std::uint64_t index) const;
  /// Uniform on (0, 1), never an end point.
  double uniform(std::uint64_t index) const;
  /// Uniform on {0, ..., bound - 1}; the bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound, std::uint64_t index) const;
  /// Standard normal.
  double normal(std::uint64_t index) const;

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
};

/// Fills u with standard normal entries; complex ones have E|u_ij|^2 = 2.
template <class S>
void fill_normal(const RandomStream& random, Matrix<S>& u);

/// Makes u a factor of that size with such entries, the same wherever it lives.
template <class F>
void set_normal(const RandomStream& random, Index rows, Index cols, F& u) {
  Matrix<typename F::Scalar> host(rows, cols);
  fill_normal(random, host);
  copy_from_host(host, u);
}
template <class S>
void set_normal(const RandomStream& random, Index rows, Index cols, Matrix<S>& u) {
  u.resize(rows, cols);
  fill_normal(random, u);
}

}  // namespace projfgd

// What several tests need: random factors and matrices from the library's own generator.
#pragma once

#include <cstdint>

#include "projfgd/core/random.hpp"

namespace projfgd::test {

template <class S>
Matrix<S> random_factor(Index n, Index r, std::uint64_t seed) {
  Matrix<S> u(n, r);
  fill_normal(RandomStream(seed, 0x7E57), u);
  return u;
}

template <class S>
Matrix<S> random_hermitian(Index n, std::uint64_t seed) {
  const Matrix<S> a = random_factor<S>(n, n, seed);
  return (a + a.adjoint()) / RealOf<S>(2);
}

template <class R>
Vector<R> random_vector(Index m, std::uint64_t seed) {
  return random_factor<R>(m, 1, seed).col(0);
}

}  // namespace projfgd::test

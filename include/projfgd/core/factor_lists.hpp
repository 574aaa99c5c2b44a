// The inner products of one factor with several, and a sum of several: what a quasi-Newton method
// with a memory does. One pass over the memory where the kind of factor has functions for it, as
// the host's matrices do; any other factor goes one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "projfgd/core/factor.hpp"

namespace projfgd {

template <class F>
using FactorList = std::span<const F* const>;

/// out_k = dot(u_k, v)
template <class F>
void dots(FactorList<F> us, const F& v, std::span<RealOf<F>> out) {
  for (std::size_t k = 0; k < us.size(); ++k) out[k] = dot(*us[k], v);
}

/// v += sum_k a_k u_k
template <class F>
void axpys(std::span<const RealOf<F>> a, FactorList<F> us, F& v) {
  for (std::size_t k = 0; k < us.size(); ++k) axpy(a[k], *us[k], v);
}

template <class S>
void dots(std::span<const Matrix<S>* const> us, const Matrix<S>& v, std::span<RealOf<S>> out);
template <class S>
void axpys(std::span<const RealOf<S>> a, std::span<const Matrix<S>* const> us, Matrix<S>& v);

/// Calls body(first, count) for lists that kernels take at a time.
template <class Body>
void for_each_part_of_list(std::size_t size, std::size_t most, const Body& body) {
  for (std::size_t first = 0; first < size; first += most) {
    body(first, std::min(most, size - first));
  }
}

}  // namespace projfgd

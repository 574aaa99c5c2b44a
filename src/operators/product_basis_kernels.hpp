// The inner loops of the product-basis operator, on split real and imaginary parts. They are plain
// loops that compilers vectorise, compiled once for every instruction set and chosen at run time.
#pragma once

#include <cstddef>

#include "projfgd/operators/product_basis.hpp"

namespace projfgd {

/// The number of qubits. Throws InputError where settings are not all of one length q >= 1, name a
/// basis that is not in the list, or a basis is not unitary; ResourceError when q is out of reach.
int checked_qubits(const std::vector<Setting>& settings, const std::vector<QubitBasis>& bases);

}  // namespace projfgd

namespace projfgd::product_basis {

/// The basis with what the inner loops need to know of it.
template <class R>
Gate<R> to_gate(const QubitBasis& basis);

template <class R>
struct Split {
  R* re;
  R* im;
};

/// Sums over columns for pairs (a, b) that differ in the last qubit: |a|^2, |b|^2, 2 a conj(b).
/// The same four arrays hold the pair matrices [aa, ab; conj(ab), bb] of the adjoint.
template <class R>
struct Pairs {
  R* aa;
  R* bb;
  R* re;
  R* im;
};

/// out = V in on pairs `stride` apart; `size` amplitudes.
template <class R>
void apply(const Gate<R>& gate, std::size_t size, std::size_t stride, Split<R> in, Split<R> out);

/// out = V^H in, or out += V^H in.
template <class R>
void apply_adjoint(const Gate<R>& gate, std::size_t size, std::size_t stride, Split<R> in,
                   Split<R> out, bool add);

/// The sums over the columns of U, each 2 half long.
template <class R>
void moments(std::size_t half, std::size_t columns, Split<R> u, Pairs<R> out);

/// The same of U and D together: Re(a_u conj(a_d)), Re(b_u conj(b_d)),
/// a_u conj(b_d) + a_d conj(b_u).
template <class R>
void moments(std::size_t half, std::size_t columns, Split<R> u, Split<R> d, Pairs<R> out);

/// The probabilities of one basis of the last qubit; p is 2 half long.
template <class R>
void probabilities(const Gate<R>& gate, std::size_t half, Pairs<R> sums, R* p);

/// pairs += V^H diag(w) V for every pair.
template <class R>
void add_weights(const Gate<R>& gate, std::size_t half, const R* w, Pairs<R> pairs);

/// out = (pair matrices) in.
template <class R>
void apply_pairs(std::size_t half, std::size_t columns, Pairs<R> pairs, Split<R> in, Split<R> out);

}  // namespace projfgd::product_basis

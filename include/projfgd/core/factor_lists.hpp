// Several inner products at once, and sums of several factors: what a quasi-Newton method with a
// memory does. A kind of factor may have functions of its own for them: the host's matrices go once
// through their memory, and where an answer has to be waited for, one wait serves all. Any other
// factor goes one by one.
#pragma once

#include <algorithm>
#include <array>
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

/// out = sum_k a_k u_k of one or more; out must not be one of them.
template <class F>
void combine(std::span<const RealOf<F>> a, FactorList<F> us, F& out) {
  out = *us[0];
  scale(a[0], out);
  axpys(a.subspan(1), us.subspan(1), out);
}

/// out = u + a v
template <class F>
void add_scaled(const F& u, std::type_identity_t<RealOf<F>> a, const F& v, F& out) {
  const std::array<RealOf<F>, 2> weights{1, a};
  const std::array<const F*, 2> factors{&u, &v};
  combine(std::span<const RealOf<F>>(weights), FactorList<F>(factors), out);
}

/// Two factors of one size, for their inner product.
template <class F>
struct FactorPair {
  const F *u, *v;
};
template <class F>
FactorPair(const F*, const F*) -> FactorPair<F>;
/// For the square of a norm.
template <class F>
FactorPair<F> twice(const F& u) {
  return {&u, &u};
}
template <class F>
using PairList = std::span<const FactorPair<F>>;

/// out_k = dot(u_k, v_k), or the square of norm(u_k) where both are the same.
template <class F>
void inner_products(PairList<F> pairs, std::span<double> out) {
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const F &u = *pairs[k].u, &v = *pairs[k].v;
    if (&u == &v) {
      const double size = norm(u);
      out[k] = size * size;
    } else {
      out[k] = dot(u, v);
    }
  }
}
template <class F, std::size_t n>
std::array<double, n> inner_products(const std::array<FactorPair<F>, n>& pairs) {
  std::array<double, n> out;
  inner_products(PairList<F>(pairs), std::span<double>(out));
  return out;
}

/// out_k = gram(u_k, v_k), of pairs that have the same sizes.
template <class F>
void grams(PairList<F> pairs, std::span<Matrix<typename F::Scalar>> out) {
  for (std::size_t k = 0; k < pairs.size(); ++k) out[k] = gram(*pairs[k].u, *pairs[k].v);
}
template <class F, std::size_t n>
std::array<Matrix<typename F::Scalar>, n> grams(const std::array<FactorPair<F>, n>& pairs) {
  std::array<Matrix<typename F::Scalar>, n> out;
  grams(PairList<F>(pairs), std::span<Matrix<typename F::Scalar>>(out));
  return out;
}

/// [u_1 u_2 ...]^H v
template <class F>
Matrix<typename F::Scalar> gram_of_list(FactorList<F> us, const F& v) {
  Index columns = 0;
  for (const F* u : us) columns += u->cols();
  Matrix<typename F::Scalar> all(columns, v.cols());
  Index begin = 0;
  for (const F* u : us) {
    all.middleRows(begin, u->cols()) = gram(*u, v);
    begin += u->cols();
  }
  return all;
}

/// out += [u_1 u_2 ...] y for a small y; `product` is memory to work in, with as many columns as
/// out.
template <class F>
void add_products(FactorList<F> us, const Matrix<typename F::Scalar>& y, F& out, F& product) {
  Index begin = 0;
  for (const F* u : us) {
    multiply(*u, Matrix<typename F::Scalar>(y.middleRows(begin, u->cols())), product);
    axpy(1, product, out);
    begin += u->cols();
  }
}

template <class S>
void dots(std::span<const Matrix<S>* const> us, const Matrix<S>& v, std::span<RealOf<S>> out);
template <class S>
void axpys(std::span<const RealOf<S>> a, std::span<const Matrix<S>* const> us, Matrix<S>& v);
template <class S>
void combine(std::span<const RealOf<S>> a, std::span<const Matrix<S>* const> us, Matrix<S>& out);

/// Calls body(first, count) for lists that kernels take at a time.
template <class Body>
void for_each_part_of_list(std::size_t size, std::size_t most, const Body& body) {
  for (std::size_t first = 0; first < size; first += most) {
    body(first, std::min(most, size - first));
  }
}

}  // namespace projfgd

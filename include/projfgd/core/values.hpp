// The algebra of measurement vectors, beside dot, norm, axpy, scale and subtract of
// core/factor.hpp: functions of one element, run over whole vectors where these live. Another kind
// of vector (on a GPU, spread over several machines) brings its own overloads of these names.
//
// A function of an element is a small object with a name and one formula. Marked constexpr it can
// be compiled for any place.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/sums.hpp"

namespace projfgd {

/// out_i = f(in_i, ...) for every i; out may be one of the inputs.
template <class T, class Function, class First, class... Rest>
void map_values(Vector<T>& out, const Function& f, const Vector<First>& first,
                const Vector<Rest>&... rest) {
  out.resize(first.size());
  for_chunks(first.size(), [&, to = out.data()](Index begin, Index count) {
    for (Index i = begin; i < begin + count; ++i) to[i] = f(first.data()[i], rest.data()[i]...);
  });
}

/// sum_i f(in_i, ...), in double precision and in an order that does not depend on the number of
/// threads. Where f returns Sums, several sums at once.
template <class Function, class First, class... Rest>
auto sum_entries(const Function& f, Index size, const First* first, const Rest*... rest) {
  const auto term = [&](Index i) { return f(first[i], rest[i]...); };
  if constexpr (std::same_as<decltype(term(0)), Sums>) {
    return sum_chunks(size, [&](Index begin, Index count) {
      Sums sums{};
      for (Index i = begin; i < begin + count; ++i) add_to(sums, term(i));
      return sums;
    });
  } else {
    return sum_chunks(size, [&](Index begin, Index count) {
      constexpr Index lanes = 8;  // independent sums, so that none waits for itself
      std::array<double, lanes> sums{};
      const Index end = begin + count;
      Index i = begin;
      for (; i + lanes <= end; i += lanes) {
        for (Index k = 0; k < lanes; ++k) {
          sums[static_cast<std::size_t>(k)] += static_cast<double>(term(i + k));
        }
      }
      double total = 0;
      for (; i < end; ++i) total += static_cast<double>(term(i));
      for (const double sum : sums) total += sum;
      return Sums{total};
    })[0];
  }
}
template <class Function, class First, class... Rest>
auto sum_values(const Function& f, const Vector<First>& first, const Vector<Rest>&... rest) {
  return sum_entries(f, first.size(), first.data(), rest.data()...);
}

/// u_ij = f(u_ij) for every entry of a factor.
template <class S, class Function>
void map_entries(Matrix<S>& u, const Function& f) {
  for_chunks(u.size(), [&, entries = u.data()](Index begin, Index count) {
    for (Index k = begin; k < begin + count; ++k) entries[k] = f(entries[k]);
  });
}

/// u_ij = f(u_ij, v_ij)
template <class S, class Function>
void map_entries(Matrix<S>& u, const Function& f, const Matrix<S>& v) {
  for_chunks(u.size(), [&, entries = u.data(), others = v.data()](Index begin, Index count) {
    for (Index k = begin; k < begin + count; ++k) entries[k] = f(entries[k], others[k]);
  });
}

/// out = m zeros.
template <class T>
void set_zero(Index size, Vector<T>& out) {
  out.setZero(size);
}

/// Copies between a vector, wherever it lives, and the host's memory.
template <class T>
const Vector<T>& copy_to_host(const Vector<T>& v) {
  return v;
}
template <class T>
void copy_from_host(const Vector<T>& host, Vector<T>& v) {
  v = host;
}

}  // namespace projfgd

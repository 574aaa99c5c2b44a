// Maps and sums of functions of an element, on a device. For sources that are compiled for it.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "device/complex.hpp"
#include "device/launch.hpp"
#include "projfgd/device/values.hpp"

namespace projfgd::device {

/// parts[k] = the k-th share of sum_i term(i), a number or Sums: every thread adds up the terms
/// that are its own, one after the other, and a tree adds up the threads.
template <class T, class Term>
struct PartialSums {
  static constexpr int threads = loop_threads;
  struct Own {};
  struct Shared {
    T sums[threads];
  };

  Index size, rows;  // of one sum; of the shares of one sum
  Term term;         // term(which sum, i)
  T* parts;

  PROJFGD_ON_DEVICE static void add(double& to, double more) { to += more; }
  PROJFGD_ON_DEVICE static void add(Sums& to, const Sums& more) {
    for (int k = 0; k < 3; ++k) to[k] += more[k];
  }

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index which = block.index / rows, share = block.index % rows;
    block.each([&](int thread, Own&, Shared& shared) {
      T sum{};
      for (Index i = share * threads + thread; i < size; i += rows * threads) {
        add(sum, term(which, i));
      }
      shared.sums[thread] = sum;
    });
    for (int half = threads / 2; half > 0; half /= 2) {
      block.each([&](int thread, Own&, Shared& shared) {
        if (thread < half) add(shared.sums[thread], shared.sums[thread + half]);
      });
    }
    block.each([&](int thread, Own&, Shared& shared) {
      if (thread == 0) parts[block.index] = shared.sums[0];
    });
  }
};

/// Shares of a sum: enough blocks to fill a GPU, few enough to add up on the host.
inline constexpr Index most_shares = 512;
/// Terms that are worth a thread of a share.
inline constexpr Index least_terms = 8;

/// Of each of so many sums.
inline Index shares_of_sum(Index count, Index size) {
  const Index useful = (size + loop_threads * least_terms - 1) / (loop_threads * least_terms);
  return std::clamp<Index>(std::min(useful, most_shares / count), 1, most_shares);
}

/// out[k] = sum_i term(k, i) for k < count. T is double or Sums.
template <class T, class Term>
void sum_terms(Index count, Index size, const Term& term, T* out) {
  const Index rows = shares_of_sum(count, size);
  constexpr Index width = sizeof(T) / sizeof(double);
  T* const parts = reinterpret_cast<T*>(answers(count * rows * width));
  using Kernel = PartialSums<T, Term>;
  run_blocks(count * rows, Kernel{size, rows, term, parts});
  wait();
  for (Index k = 0; k < count; ++k) {
    out[k] = T{};
    for (Index row = 0; row < rows; ++row) {
      Kernel::add(out[k], parts[k * rows + row]);
    }
  }
}

/// The i-th element of vectors through a function.
template <class Function, class... Numbers>
struct TermOf;
template <class Function, class First>
struct TermOf<Function, First> {
  Function f;
  const First* first;
  PROJFGD_ON_DEVICE auto operator()(Index i) const { return f(first[i]); }
};
template <class Function, class First, class Second>
struct TermOf<Function, First, Second> {
  Function f;
  const First* first;
  const Second* second;
  PROJFGD_ON_DEVICE auto operator()(Index i) const { return f(first[i], second[i]); }
};
template <class Function, class First, class Second, class Third>
struct TermOf<Function, First, Second, Third> {
  Function f;
  const First* first;
  const Second* second;
  const Third* third;
  PROJFGD_ON_DEVICE auto operator()(Index i) const { return f(first[i], second[i], third[i]); }
};

/// A factor, or measurement vectors, as the real numbers they are made of.
template <class S>
struct Reals {
  using R = RealOf<S>;
  template <class F>
  static auto data(F& u) {
    using Pointer = std::conditional_t<std::is_const_v<F>, const R*, R*>;
    return reinterpret_cast<Pointer>(u.data());
  }
  template <class F>
  static Index size(const F& u) {
    return u.size() * Index{sizeof(S) / sizeof(R)};
  }
};

/// A small matrix that travels with the start of a kernel, whose arguments have room for 4 KB: a
/// copy of its own would take as long as the kernel.
template <class S>
struct CarriedMatrix {
  static constexpr Index most = 2048 / sizeof(S);
  S numbers[most];
  PROJFGD_ON_DEVICE const S& operator[](Index k) const { return numbers[k]; }
};

/// with(r) for the numbers of a small matrix: carried, or on the device.
template <class S, class With>
void carry(const S* numbers, Index size, const With& with) {
  if (size <= CarriedMatrix<S>::most) {
    CarriedMatrix<S> small{};
    std::copy_n(numbers, size, small.numbers);
    return with(small);
  }
  const std::size_t bytes = sizeof(S) * static_cast<std::size_t>(size);
  S* const small = reinterpret_cast<S*>(scratch(static_cast<Index>(bytes / sizeof(float))));
  copy_in(small, numbers, bytes);
  with(static_cast<const S*>(small));
}

template <class T>
struct SetZero {
  T* out;
  PROJFGD_ON_DEVICE void operator()(Index i) const { out[i] = T(0); }
};

template <class T>
void put(const std::vector<T>& host, Array<T>& array) {
  array.from_host(host.data(), static_cast<Index>(host.size()));
}

template <class T, class Term>
struct WriteTerm {
  T* out;
  Term term;
  PROJFGD_ON_DEVICE void operator()(Index i) const { out[i] = static_cast<T>(term(i)); }
};

template <class Term>
struct AddTerm {
  Term term;
  PROJFGD_ON_DEVICE auto operator()(Index, Index i) const { return term(i); }
};

template <class Function, class First, class... Rest>
void map_numbers(Index size, First* out, Function f, const First* first, const Rest*... rest) {
  using Term = TermOf<Function, SeenAs<First>, SeenAs<Rest>...>;
  for_each(size, WriteTerm<First, Term>{out, Term{f, seen(first), seen(rest)...}});
}

template <class Function, class First, class... Rest>
SumOf<Function, First, Rest...> sum_numbers(Index size, Function f, const First* first,
                                            const Rest*... rest) {
  using Term = TermOf<Function, SeenAs<First>, SeenAs<Rest>...>;
  SumOf<Function, First, Rest...> sum;
  sum_terms(1, size, AddTerm<Term>{Term{f, seen(first), seen(rest)...}}, &sum);
  return sum;
}

}  // namespace projfgd::device

#pragma once

#include <concepts>
#include <type_traits>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// A part of a vector of C^m while it is in the cache: `lines` runs of `length` entries. Entry c of
/// line k is number begin + line[k] + c of the vector and stands at v[k * line_step + c * step].
template <class S>
struct Piece {
  S* v;
  Index lines, length;
  const Index* line;
  Index begin, line_step, step;
};

/// `count` entries in a row, from number `begin` on.
template <class S>
Piece<S> run_of(S* v, Index begin, Index count) {
  static constexpr Index first = 0;
  return {v, 1, count, &first, begin, count, 1};
}

/// Asks for the cache lines of count numbers that will be read.
template <class T>
void prefetch(const T* data, Index count) {
  constexpr Index line = 64 / sizeof(T);
  for (Index i = 0; i < count; i += line) __builtin_prefetch(data + i);
}

/// Calls f(v_i, data_i...) for every entry of a piece, each data array that of all of C^m, and adds
/// up what it returns, if anything.
template <class S, class Function, class... T>
double run_elements(const Piece<S>& piece, const Function& f, T*... data) {
  constexpr bool has_value = !std::is_void_v<decltype(f(*piece.v, *data...))>;
  constexpr Index ahead = 16;  // lines lie on pages of their own, which nothing else foresees
  const auto run = [&](auto step) {
    double sums[4] = {};  // four, so that none waits for itself
    for (Index k = 0; k < piece.lines; ++k) {
      if (k + ahead < piece.lines) {
        (prefetch(data + piece.begin + piece.line[k + ahead], piece.length), ...);
      }
      S* const v = piece.v + k * piece.line_step;
      const Index first = piece.begin + piece.line[k];
      const auto add = [&](Index c, double& sum) {
        if constexpr (has_value) {
          sum += static_cast<double>(f(v[c * step], data[first + c]...));
        } else {
          f(v[c * step], data[first + c]...);
        }
      };
      Index c = 0;
      for (; c + 4 <= piece.length; c += 4) {
        add(c, sums[0]), add(c + 1, sums[1]), add(c + 2, sums[2]), add(c + 3, sums[3]);
      }
      for (; c < piece.length; ++c) add(c, sums[0]);
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  };
  return piece.step == 1 ? run(std::integral_constant<Index, 1>{}) : run(piece.step);
}

}  // namespace projfgd

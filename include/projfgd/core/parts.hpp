// What a loss or an operator may say of itself where this process has only a part of the
// measurements.
#pragma once

#include "projfgd/concepts.hpp"
#include "projfgd/core/archive.hpp"

namespace projfgd {

/// <w, p> over all measurements. A loss of which this process has a part adds up those of all.
template <Loss L>
double product(const L& loss, const typename L::Values& w, const typename L::Values& p) {
  if constexpr (requires { loss.product(w, p); }) return loss.product(w, p);
  return dot(w, p);
}

/// Keeps predictions, or reads them back. A loss of which this process has a part keeps all of
/// them.
template <Loss L>
void keep_values(const L& loss, Archive& archive, typename L::Values& p) {
  if constexpr (requires { loss.keep_values(archive, p); }) return loss.keep_values(archive, p);
  archive(p);
}

/// sum_i f(rows_i...) over all rows of A z. An operator of which this process has a part adds up
/// those of all.
template <class A, class Function, class... Arrays>
auto sum_rows(const A& op, const Function& f, const Arrays&... rows) {
  if constexpr (requires { op.sum(f, rows...); }) {
    return op.sum(f, rows...);
  } else {
    return sum_values(f, rows...);
  }
}

/// Makes rows of A z known to every process, where each has a part of them.
template <class A, class V>
void complete_rows(const A& op, V& rows) {
  if constexpr (requires { op.complete(rows); }) op.complete(rows);
}

/// Rows of A z in a checkpoint, which holds all of them.
template <class A, class V>
struct KeptRows {
  const A& op;
  V& rows;

  void keep(Archive& archive) {
    if (!archive.reads()) complete_rows(op, rows);
    archive(rows);
  }
};

}  // namespace projfgd

// What a loss may say of itself where this process has only a part of the measurements.
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

}  // namespace projfgd

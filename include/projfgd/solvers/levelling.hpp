#pragma once

#include <array>
#include <cstddef>

#include "projfgd/core/archive.hpp"

namespace projfgd {

/// Tells from the values of f, one after the other, when little is left to gain: two falls over a
/// window each, d_1 > d_2, are continued as a geometric series, whose rest is d_2^2 / (d_1 - d_2).
/// A longer window is not misled by steps that are long and short by turns, a shorter one ends
/// sooner.
template <std::size_t window>
class Levelling {
 public:
  /// Takes the next value in; true when no more than `enough` is left to gain.
  bool add(double value, double enough) {
    double& oldest = recent_[seen_ % (2 * window)];
    const double middle = recent_[(seen_ + window) % (2 * window)];
    const double before = oldest - middle, now = middle - value;
    oldest = value;
    return seen_++ >= 2 * window && enough > 0 && now >= 0 && now * now <= enough * (before - now);
  }

  void keep(Archive& archive) { archive(recent_, seen_); }

 private:
  std::array<double, 2 * window> recent_{};
  std::size_t seen_ = 0;
};

}  // namespace projfgd

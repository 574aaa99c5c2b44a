// When a search from many starts has seen enough minima.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace projfgd {

/// Basins that are expected to be unseen when a search ends.
inline constexpr double unseen_left = 0.5;

/// Expected number of basins not seen yet after attempts that came to so many (Boender and Rinnooy
/// Kan, Math. Programming 37 (1987)).
inline double unseen_basins(int attempts, int basins) {
  const int rest = attempts - basins - 2;
  if (rest <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(basins) * (attempts - 1) / rest - basins;
}

/// The minima that attempts came to, where only their values matter: two of the same value, up to
/// what an attempt leaves, are one.
class BasinsByValue {
 public:
  explicit BasinsByValue(double same) : same_(same) {}

  void add(double value) {
    ++attempts_;
    const bool known =
        std::ranges::any_of(values_, [&](double seen) { return std::abs(seen - value) <= same_; });
    if (!known) values_.push_back(value);
  }

  bool complete() const {
    return unseen_basins(attempts_, static_cast<int>(values_.size())) < unseen_left;
  }

 private:
  double same_;
  int attempts_ = 0;
  std::vector<double> values_;
};

}  // namespace projfgd

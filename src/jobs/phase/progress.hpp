// How the stages of a search get on.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "jobs/phase/search_numbers.hpp"

namespace projfgd {

/// Says when passes no longer get on: until they have halved the misfit several may go by without a
/// lower one, where they search, and then each must leave much less than the one before.
class PassProgress {
 public:
  explicit PassProgress(bool search) : searches_(search) {}

  bool has_ended(double misfit) {
    const double last = std::exchange(last_, misfit);
    if (!std::isfinite(misfit)) return false;  // no pass yet
    if (!std::isfinite(last)) {
      first_ = lowest_ = misfit;
      return false;
    }
    found_ = found_ || misfit <= search::halved * first_;
    if (!searches_ || found_) return misfit > search::slow_pass * last;
    since_lowest_ = misfit < lowest_ ? 0 : since_lowest_ + 1;
    lowest_ = std::min(lowest_, misfit);
    return since_lowest_ >= search::judged_steps;
  }
  /// Whether the misfit was halved.
  bool found() const { return found_; }

 private:
  bool searches_, found_ = false;
  double first_ = 0, lowest_ = 0, last_ = std::numeric_limits<double>::infinity();
  int since_lowest_ = 0;
};

/// Says when an image is exact: its misfit is small, and so is what it has still to go. That is
/// about as far as it has come since its misfit was twice as large, where both fall to 0 together.
class ErrorLeft {
 public:
  ErrorLeft(double exact, double tolerance) : exact_(exact), tolerance_(tolerance) {}

  /// A misfit, and the relative length of the step that led there.
  void add(double misfit, double step) {
    misfits_.push_back(misfit);
    steps_.push_back(step);
  }
  const std::vector<double>& misfits() const { return misfits_; }
  bool is_exact() const { return !misfits_.empty() && misfits_.back() <= exact_; }
  bool is_small() const { return is_exact() && left() <= tolerance_; }
  /// The steps shrink to nothing, whether the misfit does or not.
  bool is_level() const { return search::slower_parts * search::way_left(steps_) <= tolerance_; }

 private:
  double left() const {
    double way = 0;
    for (std::size_t k = misfits_.size(); k-- > 0; way += steps_[k]) {
      if (search::halved * misfits_[k] >= misfits_.back()) return way;
    }
    return std::numeric_limits<double>::infinity();
  }

  double exact_, tolerance_;
  std::vector<double> misfits_, steps_;
};

}  // namespace projfgd

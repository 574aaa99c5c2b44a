// The channels of an image, each solved for itself, as one run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "projfgd/core/result.hpp"

namespace projfgd {

/// As if the channels had run at the same time, as the columns of one factor. Row t has what they
/// were after t iterations, or where they ended before: the sum of the objectives and of the
/// seconds, the largest change, and the error of all columns,
///
///   e^2 = sum_c e_c^2 ||x_c||^2 / sum_c ||x_c||^2,
///
/// `sizes` being ||x_c||, empty where the truth is unknown. A channel without rows is dark, and
/// what was found is 0. The status is that of the first channel that did not converge.
template <Factor F>
Result<F> side_by_side(std::vector<Result<F>> channels, const std::vector<double>& sizes) {
  if (channels.size() == 1) return std::move(channels.front());
  Result<F> all;
  all.factor.resize(channels.front().factor.rows(), static_cast<Index>(channels.size()));
  all.status = Status::converged;
  all.projected_gradient = 0;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Result<F>& one = channels[c];
    all.factor.col(static_cast<Index>(c)) = one.factor.col(0);
    const bool dark = one.trace.empty();
    if (all.status == Status::converged && !dark) {
      all.status = one.status;
      all.message = one.message;
    }
    all.iterations = std::max(all.iterations, one.iterations);
    all.objective += one.objective;
    all.eigenproblems += one.eigenproblems;
    if (!dark) {
      all.projected_gradient = std::hypot(all.projected_gradient, one.projected_gradient);
    }
    all.seconds += one.seconds;
  }
  std::size_t length = 0;
  for (const Result<F>& one : channels) length = std::max(length, one.trace.size());
  for (std::size_t t = 0; t < length; ++t) {
    TraceRow row{static_cast<Index>(t), 0, 0, 0, 0};
    double distance = 0, size = 0;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const std::vector<TraceRow>& trace = channels[c].trace;
      const double known = sizes.empty() ? std::nan("") : sizes[c];
      size = std::hypot(size, known);
      if (trace.empty()) {
        distance = std::hypot(distance, known);
        continue;
      }
      const TraceRow& one = trace[std::min(t, trace.size() - 1)];
      distance = std::hypot(distance, one.relative_error * known);
      row.seconds += one.seconds;
      row.objective += one.objective;
      row.relative_change = std::max(row.relative_change, one.relative_change);
    }
    row.relative_error = distance / size;
    all.trace.push_back(row);
  }
  return all;
}

}  // namespace projfgd

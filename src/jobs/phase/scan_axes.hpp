// Other axes that the positions of a scan may have been given in.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jobs/phase/scan_fit.hpp"
#include "jobs/phase/search_numbers.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"

namespace projfgd {

/// Rows and columns in turn, or counted from the other end.
struct ScanAxes {
  bool swapped, upwards, leftwards;

  ScanGeometry of(const ScanGeometry& given) const {
    ScanGeometry g = given;
    double tall = static_cast<double>(g.object_height - g.height);
    double wide = static_cast<double>(g.object_width - g.width);
    if (swapped) {
      std::swap(tall, wide);
      g.object_height = g.height + static_cast<Index>(tall);
      g.object_width = g.width + static_cast<Index>(wide);
    }
    for (ScanPosition& at : g.positions) {
      if (swapped) std::swap(at.row, at.column);
      if (upwards) at.row = tall - at.row;
      if (leftwards) at.column = wide - at.column;
    }
    return g;
  }

  std::string words() const {
    std::vector<std::string> all;
    if (swapped) all.emplace_back("exchange their rows and columns");
    if (upwards) all.emplace_back("count rows from the bottom");
    if (leftwards) all.emplace_back("count columns from the right");
    return fmt::format("{}", fmt::join(all, ", "));
  }
};

/// After so few passes a scan whose probe is about right leaves little.
inline constexpr Index trial_passes = 3;

/// What a few passes from a flat object leave, with the positions in other axes.
template <class S>
double misfit_in(const ScanProblem<S>& problem, const ScanAxes& axes, const RunSettings& settings,
                 Index& transforms) {
  PtychographyOperator<S> op(std::make_shared<const Scan<S>>(axes.of(problem.scan->geometry())),
                             problem.probe);
  if (!problem.left_out.empty()) op.leave_out(problem.left_out);
  op.split_over(*settings.ranks);
  const double light =
      static_cast<double>(problem.y.size()) * static_cast<double>(problem.probe.squaredNorm());
  Matrix<S> flat = Matrix<S>::Constant(
      op.rows(), 1, S(RealOf<S>(std::sqrt(static_cast<double>(problem.y.sum()) / light))));
  op.drop_unseen(flat);
  Options options = options_of(settings);
  options.max_iterations = trial_passes;
  options.tolerance = 0;
  options.keep_trace = false;
  options.keeper = nullptr;
  const Result<Matrix<S>> result =
      block_kaczmarz(op, problem.amplitude, Unconstrained{}, Unconstrained{}, flat, options);
  transforms += op.products();
  return amplitude_misfit(result.objective, problem.amplitude);
}

/// Which other axes leave less than half of the misfit, in words; empty: none do.
template <class S>
std::string better_axes(const ScanProblem<S>& problem, double misfit, const RunSettings& settings,
                        Index& transforms) {
  std::string best;
  double least = search::halved * misfit;
  for (int k = 1; k < 8; ++k) {
    const ScanAxes axes{(k & 1) != 0, (k & 2) != 0, (k & 4) != 0};
    const double left = misfit_in(problem, axes, settings, transforms);
    if (!(left < least)) continue;
    least = left;
    best = fmt::format(
        "--positions seem to use other axes: {}; this reduces the amplitude residual from {:.2g} "
        "to "
        "{:.2g} in {} passes",
        axes.words(), misfit, left, trial_passes);
  }
  return best;
}

}  // namespace projfgd

// Finding the object of a scan, and its probe where that is not known well.
#pragma once

#include <memory>
#include <string>

#include "jobs/common/stages.hpp"
#include "jobs/phase/scan.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/jobs/run.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/operators/ptychography.hpp"

namespace projfgd {

/// A scan as a problem, its intensities divided by unit^2.
template <class S>
struct ScanProblem {
  std::shared_ptr<const Scan<S>> scan;
  std::vector<std::uint8_t> left_out = {};
  Vector<RealOf<S>> y = {}, amplitude = {};
  Vector<S> probe = {};  ///< given or estimated
  double unit = 1;
  bool counts = false;  ///< the data are counts, and so is y
  AnyConstraint<S> set = Unconstrained{};
  bool unconstrained = true;
  bool refine = false;
  std::string loss = "auto";
  Matrix<S> start = {};  ///< from a file; empty: a flat object, or the one of that name
  Matrix<S> truth = {};  ///< empty: unknown
  double target_error = 0;
};

template <class S>
struct ScanAnswer {
  Answer<S> answer;
  Vector<S> probe;
  Vector<RealOf<S>> predicted;     ///< moduli
  Matrix<RealOf<S>> illumination;  ///< what the frames see of each pixel, the most being 1
  PointwiseLoss loss = PointwiseLoss::amplitude;
  double misfit = 0;
  double relative_error = 0;  ///< with a truth, where at least a tenth of the light falls
  Index transforms = 0;
  double numbers = 0;  ///< real ones of object and probe that were fitted
  Index measured = 0;  ///< intensities
};

/// Block passes over the object from a flat one, then full steps; over object and probe together
/// where the probe is refined.
template <class S>
ScanAnswer<S> fit_scan(const ScanProblem<S>& problem, const RunSettings& settings);

}  // namespace projfgd

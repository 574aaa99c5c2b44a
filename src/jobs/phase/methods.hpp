// The methods of phase retrieval by name.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "jobs/common/stages.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/core/options.hpp"
#include "projfgd/core/result.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/operators/block_operator.hpp"

namespace projfgd {

/// What a method tells of its way, beside its answer.
struct PhaseWay {
  PointwiseLoss loss = PointwiseLoss::amplitude;  ///< of the objective, at the moment
  bool reached = false;          ///< the watch ended the run because the answer is there
  int attempts = 1, chosen = 0;  ///< how many there were, and whose answer it is
  bool confirmed = false;        ///< two of them came to that answer
  bool disputed = false;         ///< all came to others, and none to one that is trusted by itself
  PointwiseLoss fitting = PointwiseLoss::amplitude;  ///< for the noise seen at that objective
  double loss_chosen_at = std::numeric_limits<double>::infinity();
  double radius = 0;        ///< of the l1 ball, where it was to be found
  Index radius_passes = 0;  ///< made to find it, before the first iteration
};

/// What a method may use.
template <class S>
struct PhaseCall {
  using Watch = std::function<bool(const Snapshot<Matrix<S>>&)>;

  const BlockOperator<S>& op;
  const Vector<RealOf<S>>& y;
  const Vector<RealOf<S>>& amplitude;  ///< sqrt y
  PhaseWay& way;
  AnyConstraint<S> set;
  AnyConstraint<S> each;  ///< around it and cheap: for every block of a pass
  bool unconstrained = false;
  bool unknown_radius = false;                 ///< an l1 ball whose radius is to be found
  bool nonnegative = false;                    ///< of that ball
  bool holds_nonnegative = true;               ///< the set has all such images in the support
  AnyConstraint<S> support = Unconstrained{};  ///< a subspace, around that ball too
  bool image = true;                           ///< two-dimensional
  std::string loss = "auto";
  /// The start that was asked for, or else the one of that name; another one for each attempt.
  std::function<Matrix<S>(const std::string& otherwise, int attempt)> start = {};
  bool may_restart = true;  ///< whether attempts differ
  Options options = {};
  const Stopwatch* clock = nullptr;  ///< since when options.time_limit counts
  std::function<bool()> go_on = {};  ///< false once a limit of time or the user ends the run
  Watch watch = {};                  ///< sees a row with iteration 0 for every attempt

  /// What is left of the limits after so many iterations.
  Options left(Index iterations = 0) const {
    return remaining(options, iterations, clock->seconds());
  }
};

/// What the method makes use of.
struct PhaseMethodTraits {
  bool sets = true;
  bool losses = true;  ///< else it has one of its own
  bool steps = true;   ///< the rules of Options, else it has its own
};
PhaseMethodTraits phase_method_traits(const std::string& name);

template <class S>
Result<Matrix<S>> run_phase_method(const std::string& name, PhaseCall<S>& call);

}  // namespace projfgd

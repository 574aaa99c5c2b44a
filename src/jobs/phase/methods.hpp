// The methods of phase retrieval by name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jobs/phase/attempt.hpp"
#include "jobs/phase/readings.hpp"
#include "jobs/phase/staged_run.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/any.hpp"

namespace projfgd {

/// Images, and what is measured of them, where an operator has them.
template <class A>
using ImageOf = typename A::Factor;
template <class A>
using SetOf = AnyConstraint<typename A::Scalar, typename A::Place>;

/// What is known of the image.
template <class A>
struct PhaseSets {
  SetOf<A> set = Unconstrained{};
  SetOf<A> each = Unconstrained{};  ///< around it and cheap: for every block of a pass
  SetOf<A> support = Unconstrained{};
  bool holds_nonnegative = false;  ///< the nonnegative images in the support, and others
  bool unconstrained = true;
  bool entrywise = false;       ///< asks the same of every pixel of the support, whatever its size
  bool unknown_radius = false;  ///< an l1 ball whose radius is to be found
  bool nonnegative = false;     ///< of that ball
};

/// What a method may use.
template <class A>
struct PhaseCall {
  const A& op;
  const typename A::Values& y;
  const typename A::Values& amplitude;  ///< sqrt y
  PhaseRun<ImageOf<A>>& run;
  PhaseSets<A> sets = {};
  double data = 0;          ///< intensities that are not the same by themselves
  double numbers = 0;       ///< real ones of an image in the set, without an l1 ball
  double data_a_pixel = 0;  ///< of a real image: the data for each of its numbers
  double photon = 0;        ///< the intensity of one, where the data are counts; else 0
  bool fourier = true;      ///< the rows are those of Fourier transforms
  PatternLayout layout = {};
  std::string loss = "auto";
  /// The start that was asked for, or else the one of that name; another one for each attempt.
  std::function<ImageOf<A>(const std::string& otherwise, int attempt)> start = {};
  bool given_start = false;  ///< it is an image
  bool may_restart = true;   ///< whether starts differ
};

/// What the method makes use of.
struct PhaseMethodTraits {
  bool sets = true;
  bool losses = true;  ///< else it has one of its own
  bool steps = true;   ///< the rules of Options, else it has its own
};
PhaseMethodTraits phase_method_traits(const std::string& name);

template <class A>
PhaseAnswer<ImageOf<A>> run_phase_method(const std::string& name, const PhaseCall<A>& call);

}  // namespace projfgd

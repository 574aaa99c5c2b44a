// The numbers of the search for an image, each with what it is derived from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// The numbers of the search. Costs are in sweeps: one product with every block and one with its
/// adjoint, which is also what a pass and a full step cost.
namespace search {

/// Reflections that have halved their misfit have found their way, as have passes: chance does not
/// halve a sum of thousands.
inline constexpr double halved = 0.5;
/// The part of the misfit that a pass may leave: full steps leave about as much, and cost more to
/// begin with.
inline constexpr double slow_pass = 0.7;
/// Data for each real number from which on passes find the image in fewer sweeps than reflections
/// do: both need 17 at three, and 12 and 17 at four.
inline constexpr double data_for_passes = 4;
/// Passes that may go by without a lower misfit, and full steps that are judged together: twice the
/// period with which conjugate gradients are fast and slow, and the part of the misfit that they
/// may leave: slower ones are left to reflections.
inline constexpr int judged_steps = 5;
inline constexpr double slow_steps = 0.8;
/// Reflections are looked at after so many sweeps, and each time that has doubled: looking costs
/// about ten.
inline constexpr Index first_look = 100;
/// Transforms of all attempts together, the first of which may use half of them: three complex
/// patterns take 2,400, and one pattern in a square support 6,500.
inline constexpr Index all_transforms = 8000;
/// How many times the way left is as long as the last steps say: the parts of an image that the
/// data hold least shrink more slowly than the others, of one open pattern by so much.
inline constexpr double slower_parts = 5;
/// In tolerances: the error that is left where steps shrink by a tenth each and the last was one
/// tolerance long. A misfit that is no larger is exact.
inline constexpr double exact_tolerances = 10;
/// In units of the precision: what sums over an image lose, where the tolerance is smaller.
inline constexpr double rounding = 100;
/// The data for each real number below which wrong images may be exact too.
inline constexpr double determined = 1.2;
/// The same below which a wrong image may leave what looks like noise: half of the data are then
/// fitted away.
inline constexpr double data_under_noise = 2;

/// The length of the steps to come, where those of the last two groups of up to five go on to
/// shrink as they did: a geometric series.
inline double way_left(const std::vector<double>& steps) {
  const auto group = std::min<std::ptrdiff_t>(judged_steps, std::ssize(steps) / 2);
  if (group == 0) return std::numeric_limits<double>::infinity();
  const double last = std::accumulate(steps.end() - group, steps.end(), 0.0);
  const double before = std::accumulate(steps.end() - 2 * group, steps.end() - group, 0.0);
  return last < before ? last * last / (before - last) : std::numeric_limits<double>::infinity();
}

}  // namespace search

}  // namespace projfgd

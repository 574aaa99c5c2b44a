#include "projfgd/constraints/simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "projfgd/core/random.hpp"

namespace projfgd {
namespace {

/// The level with sum_i max(level - d_i, 0) = radius; d_i >= 0 and one of them is 0. Reorders d.
template <class R>
double simplex_level(std::vector<R>& d, double radius) {
  const RandomStream random(1, 0x51);
  auto low = d.begin(), high = d.end();  // what is still undecided; all before it is active
  double sum = 0, count = 0;
  for (std::uint64_t draw = 0; low != high; ++draw) {
    const R pivot = low[static_cast<Index>(random.below(high - low, draw))];
    const auto equal = std::partition(low, high, [pivot](R v) { return v < pivot; });
    const auto above = std::partition(equal, high, [pivot](R v) { return v <= pivot; });
    double below_sum = 0;
    for (auto it = low; it != equal; ++it) below_sum += *it;
    const auto below = static_cast<double>(equal - low);
    if ((count + below) * pivot - (sum + below_sum) < radius) {
      sum += below_sum + static_cast<double>(above - equal) * pivot;
      count += static_cast<double>(above - low);
      low = above;
    } else {
      high = equal;
    }
  }
  return (radius + sum) / count;
}

template <class R>
void project_once(Eigen::Ref<Vector<R>> x, double radius) {
  const R largest = x.maxCoeff();
  thread_local std::vector<R> candidates;  // kept between calls: projections run every iteration
  candidates.clear();
  for (const R v : x) {
    if (static_cast<double>(largest - v) < radius) candidates.push_back(largest - v);
  }
  if (candidates.empty()) {
    x.setZero();
    return;
  }
  const double level = simplex_level(candidates, radius);
  for (R& v : x) {  // no entry grows, not even by rounding: a zero stays a zero
    v = std::min(v, static_cast<R>(std::max(level - static_cast<double>(largest - v), 0.0)));
  }
}

}  // namespace

template <class R>
void project_simplex(Eigen::Ref<Vector<R>> x, double radius) {
  // From far away the rounding of x moves the answer off the face; a second projection, from near,
  // puts it back.
  const double slack = radius * 8 * std::numeric_limits<R>::epsilon();
  const double sum = x.template cast<double>().sum();
  // What is not finite stays so, for others to see.
  if (sum <= radius || std::isnan(sum) || std::isinf(x.maxCoeff())) return;
  project_once<R>(x, radius);
  if (x.template cast<double>().sum() > radius + slack) project_once<R>(x, radius);
}

template void project_simplex<float>(Eigen::Ref<Vector<float>>, double);
template void project_simplex<double>(Eigen::Ref<Vector<double>>, double);

}  // namespace projfgd

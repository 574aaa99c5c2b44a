#include <cmath>
#include <complex>
#include <limits>

#include "device/complex.hpp"
#include "device/elements.hpp"
#include "projfgd/constraints/entrywise.hpp"

namespace projfgd {
namespace device {
namespace {

template <class S>
PROJFGD_ON_DEVICE double modulus(const S& x) {
  return hypot(static_cast<double>(real_of(x)), static_cast<double>(imag_of(x)));
}

/// The moduli above a level, and how many they are.
template <class S>
struct AboveLevel {
  const S* u;
  double level;
  PROJFGD_ON_DEVICE Sums operator()(Index, Index i) const {
    const double size = modulus(u[i]);
    return size <= level ? Sums{0, 0, 0} : Sums{size, 1, 0};  // what is not a number stays so
  }
};

/// Lowers every modulus by the level, down to 0.
template <class S>
struct LowerBy {
  S* u;
  double level;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    const double size = modulus(u[i]), rest = size > level ? (size - level) / size : 0;
    set(u[i], rest * real_of(u[i]), rest * imag_of(u[i]));
  }
};

template <class S>
Sums above(const DeviceFactor<S>& u, double level) {
  Sums sums;
  sum_terms(1, u.size(), AboveLevel<S>{u.data(), level}, &sums);
  return sums;
}

/// The level with sum_i max(|u_i| - level, 0) = radius. Newton's method from below: the sum is
/// convex and piecewise linear in the level, so that it rises from step to step and ends.
template <class S>
double find_level(const DeviceFactor<S>& u, double radius, Sums now) {
  double level = 0;
  while (true) {
    const double next = (now[0] - radius) / now[1];
    if (!(next > level)) return level;
    level = next;
    const Sums after = above(u, level);
    if (after[1] == now[1] || after[1] == 0) return level;
    now = after;
  }
}

}  // namespace
}  // namespace device

template <class S>
double l1_norm(const DeviceFactor<S>& u) {
  return device::above(u, 0)[0];
}

template <class S>
void project_l1(DeviceFactor<S>& u, double radius, bool nonnegative) {
  if (nonnegative) map_entries(u, element::NonnegativePart{});
  const double slack = radius * 8 * std::numeric_limits<RealOf<S>>::epsilon();
  // From far away the rounding of u moves the answer off the face; a second projection, from near,
  // puts it back.
  for (int pass = 0; pass < 2; ++pass) {
    const Sums all = device::above(u, 0);
    if (!(all[0] > radius + (pass == 0 ? 0 : slack)) || std::isinf(all[0])) return;
    const double level = radius > 0 ? device::find_level(u, radius, all) : all[0];
    device::for_each(u.size(), device::LowerBy<S>{u.data(), level});
  }
}

#define PROJFGD_L1(S)                              \
  template double l1_norm(const DeviceFactor<S>&); \
  template void project_l1(DeviceFactor<S>&, double, bool);

PROJFGD_L1(float)
PROJFGD_L1(double)
PROJFGD_L1(std::complex<float>)
PROJFGD_L1(std::complex<double>)

}  // namespace projfgd

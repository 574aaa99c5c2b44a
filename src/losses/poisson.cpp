#include "projfgd/losses/poisson.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "losses/poisson.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace projfgd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// deviance() of vectors, its two formulas side by side.
template <class D, class V = hn::Vec<D>>
V deviances(const D d, V mean, V count) {
  const V x = hn::Div(hn::Sub(mean, count), count);
  const V s = hn::Div(x, hn::Add(hn::Set(d, 2.0), x)), s2 = hn::Mul(s, s);
  V sum = hn::Zero(d);
  for (int k = 15; k >= 3; k -= 2) sum = hn::MulAdd(s2, sum, hn::Set(d, 1.0 / k));
  const V half_square = hn::Mul(hn::Mul(x, x), hn::Set(d, 0.5));
  const V near =
      hn::NegMulAdd(s, hn::MulAdd(hn::Mul(hn::Set(d, 2.0), s2), sum, half_square), half_square);
  const auto possible =
      hn::Gt(mean, hn::Mul(count, hn::Set(d, std::numeric_limits<double>::epsilon())));
  const V ratio = hn::IfThenElse(possible, hn::Div(mean, count), hn::Set(d, 1.0));
  const V far = hn::IfThenElse(possible, hn::Sub(x, hn::Log(d, ratio)),
                               hn::Set(d, std::numeric_limits<double>::infinity()));
  return hn::IfThenElse(hn::Gt(hn::Abs(x), hn::Set(d, 0.1)), far, near);
}

Sums poisson_sums(std::size_t size, const double* p, const double* counts,
                  const double* exposures) {
  const hn::ScalableTag<double> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  V sum = zero, above = zero, below = zero;
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const V mean = hn::Mul(hn::LoadU(d, exposures + i), hn::LoadU(d, p + i));
    const V k = hn::LoadU(d, counts + i);
    const auto seen = hn::Gt(k, zero);
    const V of_seen = hn::Mul(k, deviances(d, mean, hn::IfThenElse(seen, k, one)));
    sum = hn::Add(sum, hn::IfThenElse(seen, of_seen, mean));
    above = hn::Add(above, hn::Max(mean, zero));
    below = hn::Sub(below, hn::Min(mean, zero));
  }
  const auto total = [&](V v) { return hn::GetLane(hn::SumOfLanes(d, v)); };
  Sums sums{total(sum), total(above), total(below)};
  for (; i < size; ++i) {
    add_to(sums, element::PoissonDeviance{}(p[i], counts[i], exposures[i]));
  }
  return sums;
}

}  // namespace projfgd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace projfgd {

HWY_EXPORT(poisson_sums);

Sums sum_values(const element::PoissonDeviance&, const Vector<double>& p,
                const Vector<double>& counts, const Vector<double>& exposures) {
  return sum_chunks(p.size(), [&](Index begin, Index count) {
    return HWY_DYNAMIC_DISPATCH(poisson_sums)(static_cast<std::size_t>(count), p.data() + begin,
                                              counts.data() + begin, exposures.data() + begin);
  });
}

}  // namespace projfgd
#endif

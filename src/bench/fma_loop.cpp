#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/fma_loop.cpp"
// Arrays of vectors need a fixed size.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "bench/fma_loop.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <array>

HWY_BEFORE_NAMESPACE();
namespace projfgd::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
double FmaLoop(std::size_t rounds) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t chains = 12;  // more than latency times units, and they fit in registers
  std::array<hn::Vec<decltype(d)>, chains> sum;
  for (std::size_t k = 0; k < chains; ++k) sum[k] = hn::Set(d, static_cast<T>(k + 1));
  const auto factor = hn::Set(d, T(0.5)), term = hn::Set(d, T(1));
  for (std::size_t i = 0; i < rounds; ++i) {
    for (auto& s : sum) s = hn::MulAdd(s, factor, term);
  }
  auto total = sum[0];
  for (std::size_t k = 1; k < chains; ++k) total = hn::Add(total, sum[k]);
  const T result = hn::GetLane(hn::SumOfLanes(d, total));
  return 2.0 * chains * hn::Lanes(d) * static_cast<double>(rounds) + (result == T(-1) ? 1 : 0);
}

double FmaLoopFloat(std::size_t rounds) { return FmaLoop<float>(rounds); }
double FmaLoopDouble(std::size_t rounds) { return FmaLoop<double>(rounds); }
const char* TargetNameHere() { return hwy::TargetName(HWY_TARGET); }

}  // namespace projfgd::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace projfgd::bench {

HWY_EXPORT(FmaLoopFloat);
HWY_EXPORT(FmaLoopDouble);
HWY_EXPORT(TargetNameHere);

template <>
double run_fma_loop<float>(std::size_t rounds) {
  return HWY_DYNAMIC_DISPATCH(FmaLoopFloat)(rounds);
}
template <>
double run_fma_loop<double>(std::size_t rounds) {
  return HWY_DYNAMIC_DISPATCH(FmaLoopDouble)(rounds);
}
const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(TargetNameHere)(); }

}  // namespace projfgd::bench
#endif

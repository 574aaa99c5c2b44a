#include "coordinate_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "operators/coordinate_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace projfgd::coordinates::HWY_NAMESPACE {

template <class R>
void contract(const QubitMap<R>& map, std::size_t low, std::size_t size, const R* in, R* out) {
  for (std::size_t block = 0; block < size; block += 4 * low) {
    const R* __restrict x0 = in + block;
    R* __restrict to0 = out + block / 2;
    R* __restrict to1 = to0 + low;
    if (map.axis > 0) {
      const auto axis = static_cast<std::size_t>(map.axis);
      const R* __restrict x1 = x0 + axis * low;
      const R a0 = map.rows[0][0], b0 = map.rows[0][axis];
      const R a1 = map.rows[1][0], b1 = map.rows[1][axis];
      for (std::size_t k = 0; k < low; ++k) {
        to0[k] = a0 * x0[k] + b0 * x1[k];
        to1[k] = a1 * x0[k] + b1 * x1[k];
      }
    } else {
      const auto& r = map.rows;
      const R* __restrict x1 = x0 + low;
      const R* __restrict x2 = x0 + 2 * low;
      const R* __restrict x3 = x0 + 3 * low;
      for (std::size_t k = 0; k < low; ++k) {
        to0[k] = r[0][0] * x0[k] + r[0][1] * x1[k] + r[0][2] * x2[k] + r[0][3] * x3[k];
        to1[k] = r[1][0] * x0[k] + r[1][1] * x1[k] + r[1][2] * x2[k] + r[1][3] * x3[k];
      }
    }
  }
}

template <class R>
void expand(const QubitMap<R>& map, std::size_t low, std::size_t size, const R* in, R* out) {
  for (std::size_t block = 0; block < size; block += 4 * low) {
    const R* __restrict p0 = in + block / 2;
    const R* __restrict p1 = p0 + low;
    const auto add = [&](std::size_t c) {
      const R a = map.rows[0][c], b = map.rows[1][c];
      R* __restrict to = out + block + c * low;
      for (std::size_t k = 0; k < low; ++k) to[k] += a * p0[k] + b * p1[k];
    };
    add(0);
    if (map.axis > 0) {
      add(static_cast<std::size_t>(map.axis));
    } else {
      for (std::size_t c = 1; c < 4; ++c) add(c);
    }
  }
}

/// of_block(re, im, k, low) for every 2 x 2 block of every qubit.
template <class R, class OfBlock>
void for_blocks(std::size_t size, R* re, R* im, const OfBlock& of_block) {
  for (std::size_t low = 1; low < size; low *= 4) {
    for (std::size_t rest = 0; rest < size; rest += 4 * low) {
      R* __restrict r = re + rest;
      R* __restrict i = im + rest;
      for (std::size_t k = 0; k < low; ++k) of_block(r + k, i + k, low);
    }
  }
}

template <class R>
void to_coordinates(std::size_t size, R* re, R* im) {
  for_blocks(size, re, im, [](R* r, R* i, std::size_t low) {
    const R r0 = r[0], r1 = r[low], r2 = r[2 * low], r3 = r[3 * low];
    const R i0 = i[0], i1 = i[low], i2 = i[2 * low], i3 = i[3 * low];
    r[0] = r0 + r3;
    i[0] = i0 + i3;
    r[low] = r1 + r2;
    i[low] = i1 + i2;
    r[2 * low] = i2 - i1;  // i (m01 - m10)
    i[2 * low] = r1 - r2;
    r[3 * low] = r0 - r3;
    i[3 * low] = i0 - i3;
  });
}

template <class R>
void from_coordinates(std::size_t size, R* re, R* im) {
  for_blocks(size, re, im, [](R* r, R* i, std::size_t low) {
    const R r0 = r[0], r1 = r[low], r2 = r[2 * low], r3 = r[3 * low];
    const R i0 = i[0], i1 = i[low], i2 = i[2 * low], i3 = i[3 * low];
    r[0] = r0 + r3;
    i[0] = i0 + i3;
    r[low] = r1 + i2;  // x - i y
    i[low] = i1 - r2;
    r[2 * low] = r1 - i2;  // x + i y
    i[2 * low] = i1 + r2;
    r[3 * low] = r0 - r3;
    i[3 * low] = i0 - i3;
  });
}

#define PROJFGD_KERNELS(R)                                                                   \
  void contract_##R(const QubitMap<R>& m, std::size_t l, std::size_t n, const R* in, R* o) { \
    HWY_NAMESPACE::contract(m, l, n, in, o);                                                 \
  }                                                                                          \
  void expand_##R(const QubitMap<R>& m, std::size_t l, std::size_t n, const R* in, R* o) {   \
    HWY_NAMESPACE::expand(m, l, n, in, o);                                                   \
  }                                                                                          \
  void to_coordinates_##R(std::size_t n, R* re, R* im) {                                     \
    HWY_NAMESPACE::to_coordinates(n, re, im);                                                \
  }                                                                                          \
  void from_coordinates_##R(std::size_t n, R* re, R* im) {                                   \
    HWY_NAMESPACE::from_coordinates(n, re, im);                                              \
  }

PROJFGD_KERNELS(float)
PROJFGD_KERNELS(double)
#undef PROJFGD_KERNELS

}  // namespace projfgd::coordinates::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace projfgd::coordinates {

#define PROJFGD_DISPATCH(R)                                                              \
  HWY_EXPORT(contract_##R);                                                              \
  HWY_EXPORT(expand_##R);                                                                \
  HWY_EXPORT(to_coordinates_##R);                                                        \
  HWY_EXPORT(from_coordinates_##R);                                                      \
  template <>                                                                            \
  void contract(const QubitMap<R>& m, std::size_t l, std::size_t n, const R* in, R* o) { \
    HWY_DYNAMIC_DISPATCH(contract_##R)(m, l, n, in, o);                                  \
  }                                                                                      \
  template <>                                                                            \
  void expand(const QubitMap<R>& m, std::size_t l, std::size_t n, const R* in, R* o) {   \
    HWY_DYNAMIC_DISPATCH(expand_##R)(m, l, n, in, o);                                    \
  }                                                                                      \
  template <>                                                                            \
  void to_coordinates(std::size_t n, R* re, R* im) {                                     \
    HWY_DYNAMIC_DISPATCH(to_coordinates_##R)(n, re, im);                                 \
  }                                                                                      \
  template <>                                                                            \
  void from_coordinates(std::size_t n, R* re, R* im) {                                   \
    HWY_DYNAMIC_DISPATCH(from_coordinates_##R)(n, re, im);                               \
  }

PROJFGD_DISPATCH(float)
PROJFGD_DISPATCH(double)
#undef PROJFGD_DISPATCH

}  // namespace projfgd::coordinates
#endif

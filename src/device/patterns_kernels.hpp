// Patterns in parts: masks before their transforms and after them; see device/patterns.hpp.
#pragma once

#include <cstdint>

#include "device/complex.hpp"
#include "device/launch.hpp"

namespace projfgd::device {

/// The masks d_b, for kernels. Numbers within a part have 32 bits, whose division is the faster
/// one.
template <class R>
struct MasksThere {
  const std::uint8_t* codes;  // null: values
  const Complex<R>* masks;    // the table of the codes, or values
  std::uint32_t size;

  PROJFGD_ON_DEVICE Complex<R> at(Index pattern, Index pixel) const {
    const Index entry = pattern * size + pixel;
    return masks[codes != nullptr ? Index{codes[entry]} : entry];
  }
};

/// work = conj(d_b) . z for the patterns of a part.
template <class R>
struct MaskPatterns {
  MasksThere<R> masks;
  Index first;  // pattern
  const Complex<R>* z;
  Complex<R>* work;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    const auto at = static_cast<std::uint32_t>(i);
    const std::uint32_t pattern = at / masks.size, pixel = at - pattern * masks.size;
    work[i] = conjugate_product(masks.at(first + pattern, pixel), z[pixel]);
  }
};

/// out = or += sum_b d_b . work_b, or with the pseudo-inverse of d_b, in the order of the patterns.
template <class R>
struct AddPatterns {
  MasksThere<R> masks;
  Index first, end;  // patterns of the part
  const Complex<R>* work;
  bool pseudo_inverse, begins;
  R floor;  // of |d|^2 in the pseudo-inverse
  Complex<R>* out;

  PROJFGD_ON_DEVICE void operator()(Index pixel) const {
    Complex<R> sum = begins ? Complex<R>{0, 0} : out[pixel];
    for (Index b = first; b < end; ++b) {
      const Complex<R> d = masks.at(b, pixel);
      Complex<R> more = product(d, work[(b - first) * masks.size + pixel]);
      if (pseudo_inverse) {
        const R light = squared_modulus(d);
        more = more / (R(masks.size) * (light < floor ? floor : light));
      }
      sum = sum + more;
    }
    out[pixel] = sum;
  }
};

/// y += Re conj(a) b where nothing is left out.
template <class R>
struct AddCross {
  const Complex<R>*a, *b;
  const std::uint8_t* left_out;
  R* y;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    if (left_out == nullptr || left_out[i] == 0) y[i] += a[i].re * b[i].re + a[i].im * b[i].im;
  }
};

/// out = 1 for a row that was measured, 0 for one that is left out.
template <class R>
struct IsMeasured {
  const std::uint8_t* left_out;
  R* out;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    out[i] = left_out == nullptr || left_out[i] == 0 ? R(1) : R(0);
  }
};

/// Every row of a factor times its number, or that squared; or 0 where it is 0.
enum class Rows { times, times_square, drop_unseen };
template <class R>
struct ScaleRows {
  const R* root;
  Rows what;
  Index rows;
  Complex<R>* u;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    const R d = root[i % rows];
    if (what == Rows::drop_unseen) {
      if (!(d > 0)) u[i] = Complex<R>{0, 0};
    } else {
      u[i] *= what == Rows::times ? d : d * d;
    }
  }
};

}  // namespace projfgd::device

// Patterns in parts: masks before their transforms and after them; see device/patterns.hpp.
#pragma once

#include <cstdint>

#include "device/complex.hpp"
#include "device/launch.hpp"
#include "projfgd/operators/ptychography.hpp"

namespace projfgd::device {

/// The masks d_b and their windows, for kernels. Numbers within a part have 32 bits, whose division
/// is the faster one.
template <class R>
struct Windows {
  using Number = std::uint32_t;

  const std::uint8_t* codes;  // null: values
  const Complex<R>* masks;    // the table of the codes, or values
  const Number* mask;         // which values a pattern has; null: its own
  const Number* first;        // pixel of the object; null: a pattern sees all of it
  Number size, width, object_width;

  PROJFGD_ON_DEVICE Complex<R> mask_at(Index pattern, Number k) const {
    if (codes != nullptr) return masks[codes[pattern * size + k]];
    return masks[(mask != nullptr ? Index{mask[pattern]} : pattern) * size + k];
  }
  /// Where entry k of a window is in the object.
  PROJFGD_ON_DEVICE Index pixel(Index pattern, Number k) const {
    if (first == nullptr) return k;
    return Index{first[pattern]} + Index{k / width} * object_width + k % width;
  }
};

/// work = conj(d_b) . z[window_b] for the patterns of a part.
template <class R>
struct MaskWindows {
  Windows<R> windows;
  Index first;  // pattern
  const Complex<R>* z;
  Complex<R>* work;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    const auto at = static_cast<std::uint32_t>(i);
    const std::uint32_t pattern = at / windows.size, k = at - pattern * windows.size;
    work[i] = conjugate_product(windows.mask_at(first + pattern, k),
                                z[windows.pixel(first + pattern, k)]);
  }
};

/// What one pixel of the object receives of patterns, in their order.
template <class R>
struct Received {
  Windows<R> windows;
  Index first, end;  // patterns of the part
  const Complex<R>* work;
  bool pseudo_inverse, scanned;
  R level;  // the floor of |d|^2 there, or in a scan the brightest

  PROJFGD_ON_DEVICE void add(Index pattern, std::uint32_t k, Complex<R>& sum) const {
    const Complex<R> d = windows.mask_at(pattern, k);
    Complex<R> more = product(d, work[(pattern - first) * windows.size + k]);
    if (pseudo_inverse) {
      const R light = squared_modulus(d);
      const R damped = scanned ? damped_light(light, level) : light < level ? level : light;
      more = more / (R(windows.size) * damped);
    }
    sum = sum + more;
  }
};

/// out = or += sum_b d_b . work_b, where every pattern sees the whole object.
template <class R>
struct AddPatterns {
  Received<R> received;
  bool begins;
  Complex<R>* out;
  PROJFGD_ON_DEVICE void operator()(Index pixel) const {
    Complex<R> sum = begins ? Complex<R>{0, 0} : out[pixel];
    for (Index b = received.first; b < received.end; ++b) {
      received.add(b, static_cast<std::uint32_t>(pixel), sum);
    }
    out[pixel] = sum;
  }
};

/// The same of windows, by the list of those that see a row of the object.
template <class R>
struct AddWindows {
  Received<R> received;
  const std::uint32_t *row_begin, *row_patterns;
  bool begins;
  Complex<R>* out;
  PROJFGD_ON_DEVICE void operator()(Index pixel) const {
    const Windows<R>& windows = received.windows;
    const auto row = static_cast<std::uint32_t>(pixel / windows.object_width),
               column = static_cast<std::uint32_t>(pixel % windows.object_width);
    Complex<R> sum = begins ? Complex<R>{0, 0} : out[pixel];
    for (std::uint32_t at = row_begin[row]; at < row_begin[row + 1]; ++at) {
      const Index b = row_patterns[at];
      if (b < received.first) continue;
      if (b >= received.end) break;
      const std::uint32_t corner = windows.first[b], left = corner % windows.object_width;
      if (column < left || column >= left + windows.width) continue;
      const std::uint32_t down = row - corner / windows.object_width;
      received.add(b, down * windows.width + (column - left), sum);
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

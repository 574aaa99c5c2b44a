// Products of small complex matrices by the 32 threads of a warp: by the tensor cores of a GPU that
// has them in double precision (from sm_80 on), else each thread computes its own entries.
#pragma once

#include "device/complex.hpp"

namespace projfgd::device {

constexpr int warp = 32;

/// A matrix of 16 rows and 8 columns_of_8 columns, spread over a warp: the thread `lane` has of
/// each 16 x 8 part the rows lane / 4 and lane / 4 + 8 of the columns 2 (lane % 4) and the next.
template <int columns_of_8>
struct WarpProduct {
  double re[columns_of_8][4], im[columns_of_8][4];

  PROJFGD_ON_DEVICE void set_zero() {
    PROJFGD_UNROLL
    for (int n = 0; n < columns_of_8; ++n) {
      PROJFGD_UNROLL
      for (int e = 0; e < 4; ++e) re[n][e] = im[n][e] = 0;
    }
  }
  PROJFGD_ON_DEVICE static int row(int lane, int e) { return lane / 4 + e / 2 * 8; }
  PROJFGD_ON_DEVICE static int column(int lane, int n, int e) {
    return 8 * n + 2 * (lane % 4) + e % 2;
  }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/// c += a b of 16 x 4 and 4 x 8 numbers: the thread `lane` has the rows lane / 4 and lane / 4 + 8
/// of the column lane % 4 of a, and the row lane % 4 of the column lane / 4 of b.
__device__ inline void multiply_add(double (&c)[4], double upper, double lower, double b) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};\n"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(upper), "d"(lower), "d"(b));
#else
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};\n"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(upper), "d"(b));
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};\n"
               : "+d"(c[2]), "+d"(c[3])
               : "d"(lower), "d"(b));
#endif
}
#endif

/// c += A B for a(i, k) of 16 rows and b(k, j) of 8 columns_of_8 columns, each a Complex<double>;
/// `inner`, their k, is a multiple of 4. All threads of the warp come here together.
template <int columns_of_8, class A, class B>
PROJFGD_ON_DEVICE void add_product(int lane, int inner, const A& a, const B& b,
                                   WarpProduct<columns_of_8>& c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  for (int k = lane % 4; k < inner; k += 4) {
    const Complex<double> upper = a(lane / 4, k), lower = a(lane / 4 + 8, k);
    PROJFGD_UNROLL
    for (int n = 0; n < columns_of_8; ++n) {
      const Complex<double> right = b(k, 8 * n + lane / 4);
      multiply_add(c.re[n], upper.re, lower.re, right.re);
      multiply_add(c.re[n], -upper.im, -lower.im, right.im);
      multiply_add(c.im[n], upper.re, lower.re, right.im);
      multiply_add(c.im[n], upper.im, lower.im, right.re);
    }
  }
#else
  for (int k = 0; k < inner; ++k) {
    PROJFGD_UNROLL
    for (int n = 0; n < columns_of_8; ++n) {
      PROJFGD_UNROLL
      for (int e = 0; e < 4; ++e) {
        const Complex<double> left = a(c.row(lane, e), k), right = b(k, c.column(lane, n, e));
        c.re[n][e] += left.re * right.re - left.im * right.im;
        c.im[n][e] += left.re * right.im + left.im * right.re;
      }
    }
  }
#endif
}

}  // namespace projfgd::device

#include "product_kernels.hpp"

#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/product_kernels.cpp"
// Arrays of vectors need a fixed size.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h must come first
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace projfgd::products::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of rows, and columns, that stay in registers: 2 x 4 with 32 of these, 1 x 4 with 16.
constexpr std::size_t row_vectors = HWY_TARGET <= HWY_AVX3 ? 2 : 1, columns_at_once = 4;

template <class R>
std::size_t rows_at_once() {
  return row_vectors * hn::Lanes(hn::ScalableTag<R>());
}

/// The rows of A one after the other along `inner`, real and imaginary parts apart, zeros below.
template <class R>
void pack(std::size_t first, std::size_t rows, std::size_t inner, const Operand<R>& a, R* panel) {
  const std::size_t height = rows_at_once<R>();
  const R sign = a.conjugate ? R(-1) : R(1);
  for (std::size_t l = 0; l < inner; ++l) {
    R* __restrict re = panel + 2 * height * l;
    R* __restrict im = re + height;
    const std::complex<R>* from = a.data + first * a.down + l * a.right;
    for (std::size_t i = 0; i < rows; ++i) {
      re[i] = from[i * a.down].real();
      im[i] = sign * from[i * a.down].imag();
    }
    for (std::size_t i = rows; i < height; ++i) re[i] = im[i] = 0;
  }
}

/// `count` columns of the product of the packed rows, from the j-th on.
template <std::size_t count, class R>
void product_columns(std::size_t j, std::size_t inner, const R* panel, const Operand<R>& b,
                     std::size_t rows, std::complex<R>* out, std::size_t down) {
  const hn::ScalableTag<R> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d), height = rows_at_once<R>();
  V re[count][row_vectors], im[count][row_vectors];
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t v = 0; v < row_vectors; ++v) re[c][v] = im[c][v] = hn::Zero(d);
  }
  const R sign = b.conjugate ? R(-1) : R(1);
  for (std::size_t l = 0; l < inner; ++l) {
    const R* left = panel + 2 * height * l;
    const std::complex<R>* right = b.data + l * b.down + j * b.right;
    V ar[row_vectors], ai[row_vectors];
    for (std::size_t v = 0; v < row_vectors; ++v) {
      ar[v] = hn::LoadU(d, left + v * lanes);
      ai[v] = hn::LoadU(d, left + height + v * lanes);
    }
    for (std::size_t c = 0; c < count; ++c) {
      const V br = hn::Set(d, right[c * b.right].real());
      const V bi = hn::Set(d, sign * right[c * b.right].imag());
      for (std::size_t v = 0; v < row_vectors; ++v) {
        re[c][v] = hn::NegMulAdd(ai[v], bi, hn::MulAdd(ar[v], br, re[c][v]));
        im[c][v] = hn::MulAdd(ar[v], bi, hn::MulAdd(ai[v], br, im[c][v]));
      }
    }
  }
  HWY_ALIGN R parts[2 * row_vectors * HWY_MAX_BYTES / sizeof(R)];
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t v = 0; v < row_vectors; ++v) {
      hn::StoreU(re[c][v], d, parts + v * lanes);
      hn::StoreU(im[c][v], d, parts + height + v * lanes);
    }
    std::complex<R>* to = out + (j + c) * down;
    for (std::size_t i = 0; i < rows; ++i) to[i] = {parts[i], parts[height + i]};
  }
}

template <class R>
void product(std::size_t first, std::size_t rows, std::size_t inner, std::size_t columns,
             const Operand<R>& a, const Operand<R>& b, R* panel, std::complex<R>* out,
             std::size_t down) {
  pack(first, rows, inner, a, panel);
  std::size_t j = 0;
  for (; j + columns_at_once <= columns; j += columns_at_once) {
    product_columns<columns_at_once>(j, inner, panel, b, rows, out + first, down);
  }
  for (; j < columns; ++j) product_columns<1>(j, inner, panel, b, rows, out + first, down);
}

#define PROJFGD_KERNELS(R)                                                                   \
  std::size_t product_rows_##R() { return rows_at_once<R>(); }                               \
  void product_##R(std::size_t f, std::size_t m, std::size_t k, std::size_t n,               \
                   const Operand<R>& a, const Operand<R>& b, R* panel, std::complex<R>* out, \
                   std::size_t down) {                                                       \
    HWY_NAMESPACE::product(f, m, k, n, a, b, panel, out, down);                              \
  }

PROJFGD_KERNELS(float)
PROJFGD_KERNELS(double)
#undef PROJFGD_KERNELS

}  // namespace projfgd::products::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace projfgd::products {

#define PROJFGD_DISPATCH(R)                                                                     \
  HWY_EXPORT(product_rows_##R);                                                                 \
  HWY_EXPORT(product_##R);                                                                      \
  template <>                                                                                   \
  std::size_t product_rows<R>() {                                                               \
    return HWY_DYNAMIC_DISPATCH(product_rows_##R)();                                            \
  }                                                                                             \
  template <>                                                                                   \
  void product(std::size_t f, std::size_t m, std::size_t k, std::size_t n, const Operand<R>& a, \
               const Operand<R>& b, R* panel, std::complex<R>* out, std::size_t down) {         \
    HWY_DYNAMIC_DISPATCH(product_##R)(f, m, k, n, a, b, panel, out, down);                      \
  }

PROJFGD_DISPATCH(float)
PROJFGD_DISPATCH(double)
#undef PROJFGD_DISPATCH

template <class R>
void product_of_all(std::size_t rows, std::size_t inner, std::size_t columns, const Operand<R>& a,
                    const Operand<R>& b, std::complex<R>* out, std::size_t down) {
  thread_local std::vector<R> panel;
  const std::size_t height = product_rows<R>();
  panel.resize(std::max(panel.size(), 2 * inner * height));
  for (std::size_t first = 0; first < rows; first += height) {
    product(first, std::min(height, rows - first), inner, columns, a, b, panel.data(), out, down);
  }
}

template void product_of_all(std::size_t, std::size_t, std::size_t, const Operand<float>&,
                             const Operand<float>&, std::complex<float>*, std::size_t);
template void product_of_all(std::size_t, std::size_t, std::size_t, const Operand<double>&,
                             const Operand<double>&, std::complex<double>*, std::size_t);

}  // namespace projfgd::products
#endif

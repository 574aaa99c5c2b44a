#include "product_basis_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "operators/product_basis_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace projfgd::product_basis::HWY_NAMESPACE {

template <class R>
void apply(const Gate<R>& gate, std::size_t size, std::size_t stride, Split<R> in, Split<R> out) {
  const Gate<R> v = gate;
  for (std::size_t block = 0; block < size; block += 2 * stride) {
    const R* __restrict ar = in.re + block;
    const R* __restrict ai = in.im + block;
    const R* __restrict br = ar + stride;
    const R* __restrict bi = ai + stride;
    R* __restrict xr = out.re + block;
    R* __restrict xi = out.im + block;
    R* __restrict yr = xr + stride;
    R* __restrict yi = xi + stride;
    if (v.kind == Gate<R>::Kind::equatorial) {
      const R s = v.re[0][0], cr = v.re[0][1], ci = v.im[0][1];
      for (std::size_t k = 0; k < stride; ++k) {
        const R pr = s * ar[k], pi = s * ai[k];
        const R tr = cr * br[k] - ci * bi[k], ti = cr * bi[k] + ci * br[k];
        xr[k] = pr + tr;
        xi[k] = pi + ti;
        yr[k] = pr - tr;
        yi[k] = pi - ti;
      }
    } else {
      for (std::size_t k = 0; k < stride; ++k) {
        xr[k] = v.re[0][0] * ar[k] - v.im[0][0] * ai[k] + v.re[0][1] * br[k] - v.im[0][1] * bi[k];
        xi[k] = v.re[0][0] * ai[k] + v.im[0][0] * ar[k] + v.re[0][1] * bi[k] + v.im[0][1] * br[k];
        yr[k] = v.re[1][0] * ar[k] - v.im[1][0] * ai[k] + v.re[1][1] * br[k] - v.im[1][1] * bi[k];
        yi[k] = v.re[1][0] * ai[k] + v.im[1][0] * ar[k] + v.re[1][1] * bi[k] + v.im[1][1] * br[k];
      }
    }
  }
}

/// out = keep out + V^H in, keep 0 or 1.
template <bool add, class R>
void apply_adjoint_to(const Gate<R>& gate, std::size_t size, std::size_t stride, Split<R> in,
                      Split<R> out) {
  const Gate<R> v = gate;
  for (std::size_t block = 0; block < size; block += 2 * stride) {
    const R* __restrict xr = in.re + block;
    const R* __restrict xi = in.im + block;
    const R* __restrict yr = xr + stride;
    const R* __restrict yi = xi + stride;
    R* __restrict ar = out.re + block;
    R* __restrict ai = out.im + block;
    R* __restrict br = ar + stride;
    R* __restrict bi = ai + stride;
    const auto put = [](R& to, R value) {
      if constexpr (add) {
        to += value;
      } else {
        to = value;
      }
    };
    if (v.kind == Gate<R>::Kind::identity) {
      for (std::size_t k = 0; k < stride; ++k) {
        put(ar[k], xr[k]);
        put(ai[k], xi[k]);
        put(br[k], yr[k]);
        put(bi[k], yi[k]);
      }
    } else if (v.kind == Gate<R>::Kind::equatorial) {
      const R s = v.re[0][0], cr = v.re[0][1], ci = v.im[0][1];
      for (std::size_t k = 0; k < stride; ++k) {
        const R dr = xr[k] - yr[k], di = xi[k] - yi[k];
        put(ar[k], s * (xr[k] + yr[k]));
        put(ai[k], s * (xi[k] + yi[k]));
        put(br[k], cr * dr + ci * di);
        put(bi[k], cr * di - ci * dr);
      }
    } else {
      for (std::size_t k = 0; k < stride; ++k) {
        put(ar[k],
            v.re[0][0] * xr[k] + v.im[0][0] * xi[k] + v.re[1][0] * yr[k] + v.im[1][0] * yi[k]);
        put(ai[k],
            v.re[0][0] * xi[k] - v.im[0][0] * xr[k] + v.re[1][0] * yi[k] - v.im[1][0] * yr[k]);
        put(br[k],
            v.re[0][1] * xr[k] + v.im[0][1] * xi[k] + v.re[1][1] * yr[k] + v.im[1][1] * yi[k]);
        put(bi[k],
            v.re[0][1] * xi[k] - v.im[0][1] * xr[k] + v.re[1][1] * yi[k] - v.im[1][1] * yr[k]);
      }
    }
  }
}

template <class R>
void apply_adjoint(const Gate<R>& gate, std::size_t size, std::size_t stride, Split<R> in,
                   Split<R> out, bool add) {
  if (add) {
    apply_adjoint_to<true>(gate, size, stride, in, out);
  } else {
    apply_adjoint_to<false>(gate, size, stride, in, out);
  }
}

template <class R>
void moments(std::size_t half, std::size_t columns, Split<R> u, Pairs<R> out) {
  R* __restrict aa = out.aa;
  R* __restrict bb = out.bb;
  R* __restrict re = out.re;
  R* __restrict im = out.im;
  for (std::size_t k = 0; k < half; ++k) aa[k] = bb[k] = re[k] = im[k] = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const R* __restrict ar = u.re + 2 * half * c;
    const R* __restrict ai = u.im + 2 * half * c;
    const R* __restrict br = ar + half;
    const R* __restrict bi = ai + half;
    for (std::size_t k = 0; k < half; ++k) {
      aa[k] += ar[k] * ar[k] + ai[k] * ai[k];
      bb[k] += br[k] * br[k] + bi[k] * bi[k];
      re[k] += 2 * (ar[k] * br[k] + ai[k] * bi[k]);
      im[k] += 2 * (ai[k] * br[k] - ar[k] * bi[k]);
    }
  }
}

template <class R>
void cross_moments(std::size_t half, std::size_t columns, Split<R> u, Split<R> d, Pairs<R> out) {
  R* __restrict aa = out.aa;
  R* __restrict bb = out.bb;
  R* __restrict re = out.re;
  R* __restrict im = out.im;
  for (std::size_t k = 0; k < half; ++k) aa[k] = bb[k] = re[k] = im[k] = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const R* __restrict ar = u.re + 2 * half * c;
    const R* __restrict ai = u.im + 2 * half * c;
    const R* __restrict br = ar + half;
    const R* __restrict bi = ai + half;
    const R* __restrict er = d.re + 2 * half * c;
    const R* __restrict ei = d.im + 2 * half * c;
    const R* __restrict fr = er + half;
    const R* __restrict fi = ei + half;
    for (std::size_t k = 0; k < half; ++k) {
      aa[k] += ar[k] * er[k] + ai[k] * ei[k];
      bb[k] += br[k] * fr[k] + bi[k] * fi[k];
      re[k] += ar[k] * fr[k] + ai[k] * fi[k] + er[k] * br[k] + ei[k] * bi[k];
      im[k] += ai[k] * fr[k] - ar[k] * fi[k] + ei[k] * br[k] - er[k] * bi[k];
    }
  }
}

template <class R>
void probabilities(const Gate<R>& v, std::size_t half, Pairs<R> sums, R* p) {
  for (int row = 0; row < 2; ++row) {  // |v0|^2 aa + |v1|^2 bb + Re(v0 conj(v1) c)
    const R r0 = v.re[row][0], i0 = v.im[row][0], r1 = v.re[row][1], i1 = v.im[row][1];
    const R waa = r0 * r0 + i0 * i0, wbb = r1 * r1 + i1 * i1;
    const R wre = r0 * r1 + i0 * i1, wim = r0 * i1 - i0 * r1;
    const R* __restrict aa = sums.aa;
    const R* __restrict bb = sums.bb;
    const R* __restrict re = sums.re;
    const R* __restrict im = sums.im;
    R* __restrict to = p + static_cast<std::size_t>(row) * half;
    for (std::size_t k = 0; k < half; ++k) {
      to[k] = waa * aa[k] + wbb * bb[k] + wre * re[k] + wim * im[k];
    }
  }
}

template <class R>
void add_weights(const Gate<R>& v, std::size_t half, const R* w, Pairs<R> pairs) {
  for (int row = 0; row < 2; ++row) {  // w [ |v0|^2, conj(v0) v1; ., |v1|^2 ]
    const R r0 = v.re[row][0], i0 = v.im[row][0], r1 = v.re[row][1], i1 = v.im[row][1];
    const R waa = r0 * r0 + i0 * i0, wbb = r1 * r1 + i1 * i1;
    const R wre = r0 * r1 + i0 * i1, wim = r0 * i1 - i0 * r1;
    const R* __restrict from = w + static_cast<std::size_t>(row) * half;
    R* __restrict aa = pairs.aa;
    R* __restrict bb = pairs.bb;
    R* __restrict re = pairs.re;
    R* __restrict im = pairs.im;
    for (std::size_t k = 0; k < half; ++k) {
      aa[k] += waa * from[k];
      bb[k] += wbb * from[k];
      re[k] += wre * from[k];
      im[k] += wim * from[k];
    }
  }
}

template <class R>
void apply_pairs(std::size_t half, std::size_t columns, Pairs<R> pairs, Split<R> in, Split<R> out) {
  const R* __restrict aa = pairs.aa;
  const R* __restrict bb = pairs.bb;
  const R* __restrict re = pairs.re;
  const R* __restrict im = pairs.im;
  for (std::size_t c = 0; c < columns; ++c) {
    const R* __restrict ar = in.re + 2 * half * c;
    const R* __restrict ai = in.im + 2 * half * c;
    const R* __restrict br = ar + half;
    const R* __restrict bi = ai + half;
    R* __restrict xr = out.re + 2 * half * c;
    R* __restrict xi = out.im + 2 * half * c;
    R* __restrict yr = xr + half;
    R* __restrict yi = xi + half;
    for (std::size_t k = 0; k < half; ++k) {
      xr[k] = aa[k] * ar[k] + re[k] * br[k] - im[k] * bi[k];
      xi[k] = aa[k] * ai[k] + re[k] * bi[k] + im[k] * br[k];
      yr[k] = bb[k] * br[k] + re[k] * ar[k] + im[k] * ai[k];
      yi[k] = bb[k] * bi[k] + re[k] * ai[k] - im[k] * ar[k];
    }
  }
}

#define PROJFGD_KERNELS(R)                                                                       \
  void apply_##R(const Gate<R>& g, std::size_t n, std::size_t k, Split<R> a, Split<R> b) {       \
    HWY_NAMESPACE::apply(g, n, k, a, b);                                                         \
  }                                                                                              \
  void apply_adjoint_##R(const Gate<R>& g, std::size_t n, std::size_t k, Split<R> a, Split<R> b, \
                         bool add) {                                                             \
    HWY_NAMESPACE::apply_adjoint(g, n, k, a, b, add);                                            \
  }                                                                                              \
  void moments_##R(std::size_t h, std::size_t c, Split<R> u, Pairs<R> o) {                       \
    HWY_NAMESPACE::moments(h, c, u, o);                                                          \
  }                                                                                              \
  void cross_moments_##R(std::size_t h, std::size_t c, Split<R> u, Split<R> d, Pairs<R> o) {     \
    HWY_NAMESPACE::cross_moments(h, c, u, d, o);                                                 \
  }                                                                                              \
  void probabilities_##R(const Gate<R>& g, std::size_t h, Pairs<R> s, R* p) {                    \
    HWY_NAMESPACE::probabilities(g, h, s, p);                                                    \
  }                                                                                              \
  void add_weights_##R(const Gate<R>& g, std::size_t h, const R* w, Pairs<R> p) {                \
    HWY_NAMESPACE::add_weights(g, h, w, p);                                                      \
  }                                                                                              \
  void apply_pairs_##R(std::size_t h, std::size_t c, Pairs<R> p, Split<R> a, Split<R> b) {       \
    HWY_NAMESPACE::apply_pairs(h, c, p, a, b);                                                   \
  }

PROJFGD_KERNELS(float)
PROJFGD_KERNELS(double)
#undef PROJFGD_KERNELS

}  // namespace projfgd::product_basis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace projfgd::product_basis {

#define PROJFGD_DISPATCH(R)                                                                  \
  HWY_EXPORT(apply_##R);                                                                     \
  HWY_EXPORT(apply_adjoint_##R);                                                             \
  HWY_EXPORT(moments_##R);                                                                   \
  HWY_EXPORT(cross_moments_##R);                                                             \
  HWY_EXPORT(probabilities_##R);                                                             \
  HWY_EXPORT(add_weights_##R);                                                               \
  HWY_EXPORT(apply_pairs_##R);                                                               \
  template <>                                                                                \
  void apply(const Gate<R>& g, std::size_t n, std::size_t k, Split<R> a, Split<R> b) {       \
    HWY_DYNAMIC_DISPATCH(apply_##R)(g, n, k, a, b);                                          \
  }                                                                                          \
  template <>                                                                                \
  void apply_adjoint(const Gate<R>& g, std::size_t n, std::size_t k, Split<R> a, Split<R> b, \
                     bool add) {                                                             \
    HWY_DYNAMIC_DISPATCH(apply_adjoint_##R)(g, n, k, a, b, add);                             \
  }                                                                                          \
  template <>                                                                                \
  void moments(std::size_t h, std::size_t c, Split<R> u, Pairs<R> o) {                       \
    HWY_DYNAMIC_DISPATCH(moments_##R)(h, c, u, o);                                           \
  }                                                                                          \
  template <>                                                                                \
  void moments(std::size_t h, std::size_t c, Split<R> u, Split<R> d, Pairs<R> o) {           \
    HWY_DYNAMIC_DISPATCH(cross_moments_##R)(h, c, u, d, o);                                  \
  }                                                                                          \
  template <>                                                                                \
  void probabilities(const Gate<R>& g, std::size_t h, Pairs<R> s, R* p) {                    \
    HWY_DYNAMIC_DISPATCH(probabilities_##R)(g, h, s, p);                                     \
  }                                                                                          \
  template <>                                                                                \
  void add_weights(const Gate<R>& g, std::size_t h, const R* w, Pairs<R> p) {                \
    HWY_DYNAMIC_DISPATCH(add_weights_##R)(g, h, w, p);                                       \
  }                                                                                          \
  template <>                                                                                \
  void apply_pairs(std::size_t h, std::size_t c, Pairs<R> p, Split<R> a, Split<R> b) {       \
    HWY_DYNAMIC_DISPATCH(apply_pairs_##R)(h, c, p, a, b);                                    \
  }

PROJFGD_DISPATCH(float)
PROJFGD_DISPATCH(double)
#undef PROJFGD_DISPATCH

}  // namespace projfgd::product_basis
#endif

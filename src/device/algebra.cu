// The algebra of factors and measurement vectors on a device, and the functions of an element that
// are compiled for it.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "device/complex.hpp"
#include "device/elements.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/losses/logistic.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"

namespace projfgd {
namespace device {
namespace {

/// y + a x
template <class R>
struct AddScaled {
  R a;
  PROJFGD_ON_DEVICE R operator()(R x, R y) const { return y + a * x; }
};

/// a x
template <class R>
struct Scaled {
  R a;
  PROJFGD_ON_DEVICE R operator()(R x) const { return a * x; }
};

/// x - y
struct Difference {
  template <class R>
  PROJFGD_ON_DEVICE R operator()(R x, R y) const {
    return x - y;
  }
};

/// x^2
template <class R>
struct Square {
  const R* x;
  PROJFGD_ON_DEVICE double operator()(Index, Index i) const { return double(x[i]) * double(x[i]); }
};

/// x *= radius / ||x|| where that is longer, with ||x||^2 in shares.
template <class R>
struct Shorten {
  const double* parts;
  Index shares;
  double radius;
  R* x;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    double square = 0;
    for (Index k = 0; k < shares; ++k) square += parts[k];
    const double size = R(std::sqrt(square));
    if (size > radius) x[i] *= R(radius / size);
  }
};
/// Shares that every thread adds up again.
constexpr Index few_shares = 64;

/// 1 where x is infinite or not a number, else 0
struct IsNotFinite {
  template <class R>
  PROJFGD_ON_DEVICE double operator()(R x) const {
    return x - x == 0 ? 0 : 1;
  }
};

/// out(i, b) = sum_a u(i, a) r(a, b)
template <class S, class Small>
struct ProductEntry {
  const S* u;
  Small r;
  S* out;
  Index rows, inner;
  PROJFGD_ON_DEVICE void operator()(Index k) const {
    const Index i = k % rows, b = k / rows;
    double re = 0, im = 0;
    for (Index a = 0; a < inner; ++a) {
      const S &x = u[i + a * rows], &y = r[a + b * inner];
      const double p = real_of(x), q = imag_of(x), s = real_of(y), t = imag_of(y);
      re += p * s - q * t;
      im += p * t + q * s;
    }
    set(out[k], re, im);
  }
};

template <class S>
struct KeepRow {
  const unsigned char* inside;
  S* u;
  Index rows;
  PROJFGD_ON_DEVICE void operator()(Index k) const {
    if (inside[k % rows] == 0) set(u[k], 0, 0);
  }
};

/// The rows of v but the last, which goes to the host as pairs of numbers.
template <class S>
struct SplitLastRow {
  const S* v;
  Index rows;  // of v
  S* top;
  double* last;
  PROJFGD_ON_DEVICE void operator()(Index k) const {
    const Index i = k % rows, c = k / rows;
    if (i + 1 < rows) {
      top[i + c * (rows - 1)] = v[k];
    } else {
      last[2 * c] = real_of(v[k]);
      last[2 * c + 1] = imag_of(v[k]);
    }
  }
};
template <class S, class Small>
struct PutLastRow {
  const S* top;
  Small last;
  Index rows;  // of out
  S* out;
  PROJFGD_ON_DEVICE void operator()(Index k) const {
    const Index i = k % rows, c = k / rows;
    out[k] = i + 1 < rows ? top[i + c * (rows - 1)] : last[c];
  }
};

template <class S, class Function>
struct MapEntry {
  Function f;
  S* u;
  PROJFGD_ON_DEVICE void operator()(Index k) const { u[k] = f(u[k]); }
};

/// u_ij = f(u_ij, v_ij)
template <class R, class Function>
struct MapTwoEntries {
  Function f;
  Complex<R>* u;
  const Complex<R>* v;
  PROJFGD_ON_DEVICE void operator()(Index k) const { u[k] = f(u[k], v[k]); }
};

}  // namespace
}  // namespace device

template <class S>
RealOf<S> dot(const DeviceFactor<S>& u, const DeviceFactor<S>& v) {
  using All = device::Reals<S>;
  return static_cast<RealOf<S>>(
      device::sum_numbers(All::size(u), element::Product{}, All::data(u), All::data(v)));
}

template <class S>
RealOf<S> norm(const DeviceFactor<S>& u) {
  return std::sqrt(dot(u, u));
}

template <class S>
void shorten(DeviceFactor<S>& u, double radius) {
  using R = RealOf<S>;
  using All = device::Reals<S>;
  using Term = device::Square<R>;
  R* const x = All::data(u);
  const Index size = All::size(u);
  const Index shares = std::min(device::few_shares, device::shares_of_sum(1, size));
  double* const parts = device::scratch(shares);
  device::run_blocks(shares, device::PartialSums<double, Term>{size, shares, Term{x}, parts});
  device::for_each(size, device::Shorten<R>{parts, shares, radius, x});
}

template <class S>
bool all_finite(const DeviceFactor<S>& u) {
  using All = device::Reals<S>;
  return device::sum_numbers(All::size(u), device::IsNotFinite{}, All::data(u)) == 0;
}

template <class S>
void axpy(std::type_identity_t<RealOf<S>> a, const DeviceFactor<S>& x, DeviceFactor<S>& y) {
  using All = device::Reals<S>;
  device::map_numbers(All::size(x), All::data(y), device::AddScaled<RealOf<S>>{a}, All::data(x),
                      All::data(std::as_const(y)));
}

template <class S>
void scale(std::type_identity_t<RealOf<S>> a, DeviceFactor<S>& x) {
  using All = device::Reals<S>;
  device::map_numbers(All::size(x), All::data(x), device::Scaled<RealOf<S>>{a},
                      All::data(std::as_const(x)));
}

template <class S>
void subtract(const DeviceFactor<S>& x, const DeviceFactor<S>& y, DeviceFactor<S>& out) {
  using All = device::Reals<S>;
  out.resize(x.rows(), x.cols());
  device::map_numbers(All::size(x), All::data(out), device::Difference{}, All::data(x),
                      All::data(y));
}

template <class S>
void multiply(const DeviceFactor<S>& u, const Matrix<S>& r, DeviceFactor<S>& out) {
  out.resize(u.rows(), r.cols());
  if (r.size() == 0) return set_zero(out.rows(), out.cols(), out);
  device::carry(r.data(), r.size(), [&](const auto& small) {
    using Product = device::ProductEntry<S, std::decay_t<decltype(small)>>;
    device::for_each(out.size(), Product{u.data(), small, out.data(), u.rows(), u.cols()});
  });
}

template <class S>
void set_zero(Index rows, Index cols, DeviceFactor<S>& out) {
  using All = device::Reals<S>;
  out.resize(rows, cols);
  device::for_each(All::size(out), device::SetZero<RealOf<S>>{All::data(out)});
}

template <class S>
void split_last_row(const DeviceFactor<S>& v, DeviceFactor<S>& top, Matrix<S>& last) {
  top.resize(v.rows() - 1, v.cols());
  last.resize(1, v.cols());
  double* const numbers = device::answers(2 * v.cols());
  device::for_each(v.size(), device::SplitLastRow<S>{v.data(), v.rows(), top.data(), numbers});
  device::wait();
  for (Index c = 0; c < v.cols(); ++c) device::set(last(c), numbers[2 * c], numbers[2 * c + 1]);
}

template <class S>
void put_last_row(const DeviceFactor<S>& top, const Matrix<S>& last, DeviceFactor<S>& out) {
  out.resize(top.rows() + 1, top.cols());
  device::carry(last.data(), last.size(), [&](const auto& row) {
    using Put = device::PutLastRow<S, std::decay_t<decltype(row)>>;
    device::for_each(out.size(), Put{top.data(), row, out.rows(), out.data()});
  });
}

template <class S, class Function>
void map_entries(DeviceFactor<S>& u, const Function& f) {
  device::for_each(u.size(), device::MapEntry<S, Function>{f, u.data()});
}

template <class S, class Function>
void map_entries(DeviceFactor<S>& u, const Function& f, const DeviceFactor<S>& v) {
  require_size("entries of the other factor", v.size(), u.size());
  device::for_each(u.size(), device::MapTwoEntries<RealOf<S>, Function>{f, device::seen(u.data()),
                                                                        device::seen(v.data())});
}

DeviceMarks::DeviceMarks(const std::vector<bool>& inside) {
  const std::vector<unsigned char> bytes(inside.begin(), inside.end());
  marks_.from_host(bytes.data(), static_cast<Index>(bytes.size()));
}

template <class S>
void keep_rows(const DeviceMarks& inside, DeviceFactor<S>& u) {
  require_size("entries of the support", inside.marks().size(), u.rows());
  device::for_each(u.size(), device::KeepRow<S>{inside.marks().data(), u.data(), u.rows()});
}

template <class T>
RealOf<T> norm(const DeviceValues<T>& p) {
  using All = device::Reals<T>;
  return static_cast<RealOf<T>>(
      std::sqrt(device::sum_numbers(All::size(p), element::Product{}, All::data(p), All::data(p))));
}
template <class T>
void axpy(std::type_identity_t<RealOf<T>> a, const DeviceValues<T>& p, DeviceValues<T>& q) {
  using All = device::Reals<T>;
  device::map_numbers(All::size(p), All::data(q), device::AddScaled<RealOf<T>>{a}, All::data(p),
                      All::data(std::as_const(q)));
}
template <class T>
void scale(std::type_identity_t<RealOf<T>> a, DeviceValues<T>& p) {
  using All = device::Reals<T>;
  device::map_numbers(All::size(p), All::data(p), device::Scaled<RealOf<T>>{a},
                      All::data(std::as_const(p)));
}
template <class T>
void subtract(const DeviceValues<T>& p, const DeviceValues<T>& q, DeviceValues<T>& out) {
  using All = device::Reals<T>;
  out.resize(p.size());
  device::map_numbers(All::size(p), All::data(out), device::Difference{}, All::data(p),
                      All::data(q));
}
template <class T>
void set_zero(Index size, DeviceValues<T>& out) {
  using All = device::Reals<T>;
  out.resize(size);
  device::for_each(All::size(out), device::SetZero<RealOf<T>>{All::data(out)});
}

#define PROJFGD_FACTOR(S)                                                                   \
  template RealOf<S> dot(const DeviceFactor<S>&, const DeviceFactor<S>&);                   \
  template RealOf<S> norm(const DeviceFactor<S>&);                                          \
  template void split_last_row(const DeviceFactor<S>&, DeviceFactor<S>&, Matrix<S>&);       \
  template void put_last_row(const DeviceFactor<S>&, const Matrix<S>&, DeviceFactor<S>&);   \
  template void shorten(DeviceFactor<S>&, double);                                          \
  template bool all_finite(const DeviceFactor<S>&);                                         \
  template void axpy<S>(RealOf<S>, const DeviceFactor<S>&, DeviceFactor<S>&);               \
  template void scale<S>(RealOf<S>, DeviceFactor<S>&);                                      \
  template void subtract(const DeviceFactor<S>&, const DeviceFactor<S>&, DeviceFactor<S>&); \
  template void multiply(const DeviceFactor<S>&, const Matrix<S>&, DeviceFactor<S>&);       \
  template void set_zero(Index, Index, DeviceFactor<S>&);                                   \
  template void keep_rows(const DeviceMarks&, DeviceFactor<S>&);                            \
  template void map_entries(DeviceFactor<S>&, const element::NonnegativePart&);

PROJFGD_FACTOR(float)
PROJFGD_FACTOR(double)
PROJFGD_FACTOR(std::complex<float>)
PROJFGD_FACTOR(std::complex<double>)

#define PROJFGD_COMPLEX(C)                                                                        \
  template void map_entries(DeviceFactor<C>&, const element::RealPart&);                          \
  template void map_entries(DeviceFactor<C>&, const element::TimesReal&, const DeviceFactor<C>&); \
  template void map_entries(DeviceFactor<C>&, const element::OverReal&, const DeviceFactor<C>&);  \
  template RealOf<C> norm(const DeviceValues<C>&);                                                \
  template void axpy<C>(RealOf<C>, const DeviceValues<C>&, DeviceValues<C>&);                     \
  template void scale<C>(RealOf<C>, DeviceValues<C>&);                                            \
  template void subtract(const DeviceValues<C>&, const DeviceValues<C>&, DeviceValues<C>&);       \
  template void set_zero(Index, DeviceValues<C>&);

PROJFGD_COMPLEX(std::complex<float>)
PROJFGD_COMPLEX(std::complex<double>)

#define PROJFGD_MAP1(R, F) template void device::map_numbers(Index, R*, F, const R*);
#define PROJFGD_MAP2(R, F) template void device::map_numbers(Index, R*, F, const R*, const R*);
#define PROJFGD_MAP3(R, F) \
  template void device::map_numbers(Index, R*, F, const R*, const R*, const R*);
#define PROJFGD_SUM1(R, F) template double device::sum_numbers(Index, F, const R*);
#define PROJFGD_SUM2(R, F) template double device::sum_numbers(Index, F, const R*, const R*);
#define PROJFGD_SUM3(R, F) \
  template double device::sum_numbers(Index, F, const R*, const R*, const R*);

#define PROJFGD_VALUES(R)                                                                   \
  template R norm(const DeviceValues<R>&);                                                  \
  template void axpy<R>(R, const DeviceValues<R>&, DeviceValues<R>&);                       \
  template void scale<R>(R, DeviceValues<R>&);                                              \
  template void subtract(const DeviceValues<R>&, const DeviceValues<R>&, DeviceValues<R>&); \
  template void set_zero(Index, DeviceValues<R>&);                                          \
  PROJFGD_MAP3(R, element::Parabola<R>)                                                     \
  PROJFGD_MAP1(R, element::Constant<R>)                                                     \
  PROJFGD_MAP2(R, element::Times)                                                           \
  PROJFGD_SUM2(R, element::Product)                                                         \
  PROJFGD_SUM2(R, element::HalfSquare)                                                      \
  PROJFGD_SUM1(R, element::IsNotNonnegative)                                                \
  PROJFGD_SUM3(R, element::WeightedHalfSquare)                                              \
  PROJFGD_MAP3(R, element::WeightedRest)                                                    \
  PROJFGD_SUM3(R, element::WeightedProduct)                                                 \
  template Sums device::sum_numbers(Index, element::PoissonDeviance, const R*, const R*,    \
                                    const R*);                                              \
  PROJFGD_MAP3(R, element::PoissonSlope)                                                    \
  PROJFGD_MAP2(R, element::PoissonCurvature)                                                \
  PROJFGD_SUM1(R, element::IsNotSign)                                                       \
  PROJFGD_SUM2(R, element::LogisticLoss<R>)                                                 \
  PROJFGD_MAP2(R, element::LogisticSlope<R>)                                                \
  PROJFGD_MAP1(R, element::LogisticCurvature<R>)

PROJFGD_VALUES(float)
PROJFGD_VALUES(double)

}  // namespace projfgd

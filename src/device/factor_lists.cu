// Inner products and sums of several factors at once, on a device: one kernel and one wait for all.
#include <algorithm>
#include <array>
#include <complex>
#include <vector>

#include "device/complex.hpp"
#include "device/elements.hpp"
#include "projfgd/device/factor.hpp"

namespace projfgd {
namespace device {
namespace {

/// So many arrays a kernel takes at a time.
constexpr std::size_t list_part = 32;

/// x_i y_i for the arrays x of a list
template <class R>
struct ProductsOfList {
  const R* list[list_part];
  const R* y;
  PROJFGD_ON_DEVICE double operator()(Index k, Index i) const {
    return double(list[k][i]) * double(y[i]);
  }
};

/// y_i += sum_k a_k x_i for the arrays x of a list
template <class R>
struct AddList {
  const R* list[list_part];
  R weights[list_part];
  int count;
  R* y;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    R sum = y[i];
    for (int k = 0; k < count; ++k) sum += weights[k] * list[k][i];
    y[i] = sum;
  }
};

/// out_i = sum_k a_k x_i for the arrays x of a list
template <class R>
struct SumOfList {
  const R* list[list_part];
  R weights[list_part];
  int count;
  R* out;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    R sum = weights[0] * list[0][i];
    for (int k = 1; k < count; ++k) sum += weights[k] * list[k][i];
    out[i] = sum;
  }
};

/// x_i y_i for the pairs of arrays of a list
template <class R>
struct ProductsOfPairs {
  const R *first[list_part], *second[list_part];
  PROJFGD_ON_DEVICE double operator()(Index k, Index i) const {
    return double(first[k][i]) * double(second[k][i]);
  }
};

/// conj(u(i, a)) v(i, b) of the pairs of a list, for the product number a + b columns of one pair
/// after the other
template <class S>
struct GramTerms {
  const S *u[list_part], *v[list_part];
  Index rows, columns, products;
  PROJFGD_ON_DEVICE Sums operator()(Index which, Index i) const {
    const Index pair = which / products, k = which % products;
    const S &x = u[pair][i + k % columns * rows], &y = v[pair][i + k / columns * rows];
    const double a = real_of(x), b = imag_of(x), c = real_of(y), d = imag_of(y);
    return Sums{a * c + b * d, a * d - b * c, 0};
  }
};

/// Columns of a list of factors that a kernel takes at a time.
constexpr Index columns_part = 192;
template <class S>
struct Columns {
  const S* at[columns_part];
};

/// conj(u(i, a)) v(i, b) of columns u for the product number a + count b
template <class S>
struct GramOfColumns {
  Columns<S> u;
  const S* v;
  Index rows, count;
  PROJFGD_ON_DEVICE Sums operator()(Index k, Index i) const {
    const S &x = u.at[k % count][i], &y = v[i + k / count * rows];
    const double a = real_of(x), b = imag_of(x), c = real_of(y), d = imag_of(y);
    return Sums{a * c + b * d, a * d - b * c, 0};
  }
};

/// out(i, b) += sum_a u(i, a) y(a, b) of columns u
template <class S, class Small>
struct AddColumns {
  Columns<S> u;
  Small y;
  S* out;
  Index rows, count;
  PROJFGD_ON_DEVICE void operator()(Index k) const {
    const Index i = k % rows, b = k / rows;
    double re = real_of(out[k]), im = imag_of(out[k]);
    for (Index a = 0; a < count; ++a) {
      const S &x = u.at[a][i], &z = y[a + b * count];
      const double p = real_of(x), q = imag_of(x), s = real_of(z), t = imag_of(z);
      re += p * s - q * t;
      im += p * t + q * s;
    }
    set(out[k], re, im);
  }
};

/// Calls body(columns, first, count) for parts of all columns of the factors.
template <class S, class Body>
void for_each_part_of_columns(FactorList<DeviceFactor<S>> us, const Body& body) {
  Columns<S> part{};
  Index first = 0, count = 0;
  const auto flush = [&] {
    if (count > 0) body(part, first, count);
    first += count;
    count = 0;
  };
  for (const DeviceFactor<S>* u : us) {
    for (Index c = 0; c < u->cols(); ++c) {
      if (count == columns_part) flush();
      part.at[count++] = u->data() + c * u->rows();
    }
  }
  flush();
}

}  // namespace
}  // namespace device

template <class S>
void dots(FactorList<DeviceFactor<S>> us, const DeviceFactor<S>& v, std::span<RealOf<S>> out) {
  using R = RealOf<S>;
  using All = device::Reals<S>;
  for_each_part_of_list(us.size(), device::list_part, [&](std::size_t first, std::size_t count) {
    device::ProductsOfList<R> term{};
    for (std::size_t k = 0; k < count; ++k) term.list[k] = All::data(*us[first + k]);
    term.y = All::data(v);
    std::array<double, device::list_part> sums;
    device::sum_terms(static_cast<Index>(count), All::size(v), term, sums.data());
    for (std::size_t k = 0; k < count; ++k) out[first + k] = static_cast<R>(sums[k]);
  });
}

template <class S>
void axpys(std::span<const RealOf<S>> a, FactorList<DeviceFactor<S>> us, DeviceFactor<S>& v) {
  using R = RealOf<S>;
  using All = device::Reals<S>;
  for_each_part_of_list(us.size(), device::list_part, [&](std::size_t first, std::size_t count) {
    device::AddList<R> sum{};
    for (std::size_t k = 0; k < count; ++k) {
      sum.list[k] = All::data(*us[first + k]);
      sum.weights[k] = a[first + k];
    }
    sum.count = static_cast<int>(count);
    sum.y = All::data(v);
    device::for_each(All::size(v), sum);
  });
}

template <class S>
void combine(std::span<const RealOf<S>> a, FactorList<DeviceFactor<S>> us, DeviceFactor<S>& out) {
  using R = RealOf<S>;
  using All = device::Reals<S>;
  const std::size_t count = std::min(us.size(), device::list_part);
  out.resize(us[0]->rows(), us[0]->cols());
  device::SumOfList<R> sum{};
  for (std::size_t k = 0; k < count; ++k) {
    sum.list[k] = All::data(*us[k]);
    sum.weights[k] = a[k];
  }
  sum.count = static_cast<int>(count);
  sum.out = All::data(out);
  device::for_each(All::size(out), sum);
  axpys(a.subspan(count), us.subspan(count), out);
}

template <class S>
void inner_products(PairList<DeviceFactor<S>> pairs, std::span<double> out) {
  using All = device::Reals<S>;
  for_each_part_of_list(pairs.size(), device::list_part, [&](std::size_t first, std::size_t count) {
    device::ProductsOfPairs<RealOf<S>> term{};
    for (std::size_t k = 0; k < count; ++k) {
      term.first[k] = All::data(*pairs[first + k].u);
      term.second[k] = All::data(*pairs[first + k].v);
    }
    device::sum_terms(static_cast<Index>(count), All::size(*pairs[first].u), term,
                      out.data() + first);
  });
}

template <class S>
void grams(PairList<DeviceFactor<S>> pairs, std::span<Matrix<S>> out) {
  for_each_part_of_list(pairs.size(), device::list_part, [&](std::size_t first, std::size_t count) {
    const DeviceFactor<S>&u = *pairs[first].u, &v = *pairs[first].v;
    const Index products = u.cols() * v.cols();
    device::GramTerms<S> term{{}, {}, u.rows(), u.cols(), products};
    for (std::size_t k = 0; k < count; ++k) {
      term.u[k] = pairs[first + k].u->data();
      term.v[k] = pairs[first + k].v->data();
      out[first + k].resize(u.cols(), v.cols());
    }
    if (products == 0) return;
    std::vector<Sums> sums(count * static_cast<std::size_t>(products));
    device::sum_terms(static_cast<Index>(sums.size()), u.rows(), term, sums.data());
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const auto at = static_cast<Index>(k);
      device::set(out[first + k / static_cast<std::size_t>(products)].data()[at % products],
                  sums[k][0], sums[k][1]);
    }
  });
}

template <class S>
Matrix<S> gram_of_list(FactorList<DeviceFactor<S>> us, const DeviceFactor<S>& v) {
  Index columns = 0;
  for (const DeviceFactor<S>* u : us) columns += u->cols();
  Matrix<S> all(columns, v.cols());
  std::vector<Sums> sums;
  device::for_each_part_of_columns<S>(us, [&](const auto& part, Index first, Index count) {
    sums.resize(static_cast<std::size_t>(count * v.cols()));
    device::sum_terms(count * v.cols(), v.rows(),
                      device::GramOfColumns<S>{part, v.data(), v.rows(), count}, sums.data());
    for (Index k = 0; k < count * v.cols(); ++k) {
      const Sums& sum = sums[static_cast<std::size_t>(k)];
      device::set(all(first + k % count, k / count), sum[0], sum[1]);
    }
  });
  return all;
}

template <class S>
void add_products(FactorList<DeviceFactor<S>> us, const Matrix<S>& y, DeviceFactor<S>& out,
                  DeviceFactor<S>&) {
  device::for_each_part_of_columns<S>(us, [&](const auto& part, Index first, Index count) {
    const Matrix<S> rows = y.middleRows(first, count);
    device::carry(rows.data(), rows.size(), [&](const auto& small) {
      using Sum = device::AddColumns<S, std::decay_t<decltype(small)>>;
      device::for_each(out.size(), Sum{part, small, out.data(), out.rows(), count});
    });
  });
}

template <class S>
Matrix<S> gram(const DeviceFactor<S>& u, const DeviceFactor<S>& v) {
  return grams(std::array{FactorPair{&u, &v}})[0];
}

#define PROJFGD_LISTS(S)                                                                         \
  template void dots(FactorList<DeviceFactor<S>>, const DeviceFactor<S>&, std::span<RealOf<S>>); \
  template void axpys<S>(std::span<const RealOf<S>>, FactorList<DeviceFactor<S>>,                \
                         DeviceFactor<S>&);                                                      \
  template void combine<S>(std::span<const RealOf<S>>, FactorList<DeviceFactor<S>>,              \
                           DeviceFactor<S>&);                                                    \
  template void inner_products(PairList<DeviceFactor<S>>, std::span<double>);                    \
  template Matrix<S> gram_of_list(FactorList<DeviceFactor<S>>, const DeviceFactor<S>&);          \
  template void add_products(FactorList<DeviceFactor<S>>, const Matrix<S>&, DeviceFactor<S>&,    \
                             DeviceFactor<S>&);                                                  \
  template void grams(PairList<DeviceFactor<S>>, std::span<Matrix<S>>);                          \
  template Matrix<S> gram(const DeviceFactor<S>&, const DeviceFactor<S>&);

PROJFGD_LISTS(float)
PROJFGD_LISTS(double)
PROJFGD_LISTS(std::complex<float>)
PROJFGD_LISTS(std::complex<double>)

}  // namespace projfgd

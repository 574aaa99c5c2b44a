// A factor and measurement vectors that are not Eigen's and show nothing of their memory: whatever
// is written for them uses the algebra of the concepts alone. A GPU's look like this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "projfgd/concepts.hpp"
#include "projfgd/core/any.hpp"

namespace projfgd::test {

/// n x r numbers, row by row.
template <class S>
class OpaqueFactor {
 public:
  using Scalar = S;
  using Real = RealOf<S>;

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  friend Real dot(const OpaqueFactor& u, const OpaqueFactor& v) {
    Real sum = 0;
    for (std::size_t k = 0; k < u.entries_.size(); ++k) {
      sum += std::real(std::conj(u.entries_[k]) * v.entries_[k]);
    }
    return sum;
  }
  friend Real norm(const OpaqueFactor& u) { return std::sqrt(dot(u, u)); }
  friend bool all_finite(const OpaqueFactor& u) {
    return std::ranges::all_of(u.entries_, [](S x) { return std::isfinite(std::abs(x)); });
  }
  friend void axpy(Real a, const OpaqueFactor& x, OpaqueFactor& y) {
    for (std::size_t k = 0; k < x.entries_.size(); ++k) y.entries_[k] += a * x.entries_[k];
  }
  friend void scale(Real a, OpaqueFactor& x) {
    for (S& entry : x.entries_) entry *= a;
  }
  friend void subtract(const OpaqueFactor& x, const OpaqueFactor& y, OpaqueFactor& out) {
    out.resize(x.rows_, x.cols_);
    for (std::size_t k = 0; k < x.entries_.size(); ++k) {
      out.entries_[k] = x.entries_[k] - y.entries_[k];
    }
  }
  friend Matrix<S> gram(const OpaqueFactor& u, const OpaqueFactor& v) {
    Matrix<S> products = Matrix<S>::Zero(u.cols_, v.cols_);
    for (Index i = 0; i < u.rows_; ++i) {
      for (Index a = 0; a < u.cols_; ++a) {
        for (Index b = 0; b < v.cols_; ++b)
          products(a, b) += Eigen::numext::conj(u(i, a)) * v(i, b);
      }
    }
    return products;
  }
  friend void multiply(const OpaqueFactor& u, const Matrix<S>& r, OpaqueFactor& out) {
    out.resize(u.rows_, r.cols());
    for (Index i = 0; i < u.rows_; ++i) {
      for (Index b = 0; b < r.cols(); ++b) {
        S sum = 0;
        for (Index a = 0; a < u.cols_; ++a) sum += u(i, a) * r(a, b);
        out(i, b) = sum;
      }
    }
  }
  friend void set_zero(Index rows, Index cols, OpaqueFactor& out) {
    out.resize(rows, cols);
    std::ranges::fill(out.entries_, S(0));
  }
  friend Matrix<S> copy_to_host(const OpaqueFactor& u) {
    Matrix<S> host(u.rows_, u.cols_);
    for (Index i = 0; i < u.rows_; ++i) {
      for (Index c = 0; c < u.cols_; ++c) host(i, c) = u(i, c);
    }
    return host;
  }
  friend void copy_from_host(const Matrix<S>& host, OpaqueFactor& u) {
    u.resize(host.rows(), host.cols());
    for (Index i = 0; i < u.rows_; ++i) {
      for (Index c = 0; c < u.cols_; ++c) u(i, c) = host(i, c);
    }
  }
  template <class Function>
  friend void map_entries(OpaqueFactor& u, const Function& f) {
    for (S& entry : u.entries_) entry = f(entry);
  }
  friend void keep_rows(const std::vector<bool>& inside, OpaqueFactor& u) {
    for (Index i = 0; i < u.rows_; ++i) {
      for (Index c = 0; c < u.cols_; ++c) {
        if (!inside[static_cast<std::size_t>(i)]) u(i, c) = 0;
      }
    }
  }

 private:
  void resize(Index rows, Index cols) {
    rows_ = rows;
    cols_ = cols;
    entries_.resize(static_cast<std::size_t>(rows * cols));
  }
  S& operator()(Index i, Index c) { return entries_[static_cast<std::size_t>(i * cols_ + c)]; }
  const S& operator()(Index i, Index c) const {
    return entries_[static_cast<std::size_t>(i * cols_ + c)];
  }

  Index rows_ = 0, cols_ = 0;
  std::vector<S> entries_;
};

/// m numbers.
template <class R>
class OpaqueValues {
 public:
  using Scalar = R;

  Index size() const { return static_cast<Index>(numbers_.size()); }

  friend R dot(const OpaqueValues& p, const OpaqueValues& q) {
    return static_cast<R>(sum_values([](R a, R b) { return double(a) * double(b); }, p, q));
  }
  friend R norm(const OpaqueValues& p) { return std::sqrt(dot(p, p)); }
  friend void axpy(R a, const OpaqueValues& p, OpaqueValues& q) {
    map_values(
        q, [a](R x, R y) { return y + a * x; }, p, q);
  }
  friend void scale(R a, OpaqueValues& p) {
    map_values(
        p, [a](R x) { return a * x; }, p);
  }
  friend void subtract(const OpaqueValues& p, const OpaqueValues& q, OpaqueValues& out) {
    map_values(
        out, [](R x, R y) { return x - y; }, p, q);
  }
  template <class Function, class... Rest>
  friend void map_values(OpaqueValues& out, const Function& f, const OpaqueValues& first,
                         const Rest&... rest) {
    out.numbers_.resize(first.numbers_.size());
    for (std::size_t i = 0; i < first.numbers_.size(); ++i) {
      out.numbers_[i] = f(first.numbers_[i], rest.numbers_[i]...);
    }
  }
  template <class Function, class... Rest>
  friend auto sum_values(const Function& f, const OpaqueValues& first, const Rest&... rest) {
    using Term = decltype(f(first.numbers_[0], rest.numbers_[0]...));
    if constexpr (std::same_as<Term, Sums>) {
      Sums sums{};
      for (std::size_t i = 0; i < first.numbers_.size(); ++i) {
        add_to(sums, f(first.numbers_[i], rest.numbers_[i]...));
      }
      return sums;
    } else {
      double sum = 0;
      for (std::size_t i = 0; i < first.numbers_.size(); ++i) {
        sum += f(first.numbers_[i], rest.numbers_[i]...);
      }
      return sum;
    }
  }
  friend void set_zero(Index size, OpaqueValues& out) {
    out.numbers_.assign(static_cast<std::size_t>(size), R(0));
  }
  friend Vector<R> copy_to_host(const OpaqueValues& p) {
    return Eigen::Map<const Vector<R>>(p.numbers_.data(), p.size());
  }
  friend void copy_from_host(const Vector<R>& host, OpaqueValues& p) {
    p.numbers_.assign(host.data(), host.data() + host.size());
  }

 private:
  std::vector<R> numbers_;
};

static_assert(Factor<OpaqueFactor<double>> && Factor<OpaqueFactor<std::complex<double>>>);
static_assert(Values<OpaqueValues<double>> && Values<OpaqueValues<float>>);

struct OpaquePlace {
  template <class S>
  using Factor = OpaqueFactor<S>;
  template <class R>
  using Values = OpaqueValues<R>;
};

/// A host's operator, for opaque factors.
template <MeasurementOperator A>
class OpaqueOperator {
 public:
  using Scalar = typename A::Factor::Scalar;
  using Real = RealOf<Scalar>;
  using Factor = OpaqueFactor<Scalar>;
  using Values = OpaqueValues<Real>;

  explicit OpaqueOperator(A op) : op_(std::move(op)) {}

  Index rows() const { return op_.rows(); }
  Index measurements() const { return op_.measurements(); }
  void forward(const Factor& u, Values& y) const {
    Vector<Real> host;
    op_.forward(copy_to_host(u), host);
    copy_from_host(host, y);
  }
  void forward(const Factor& u, const Factor& d, Values& y) const {
    Vector<Real> host;
    op_.forward(copy_to_host(u), copy_to_host(d), host);
    copy_from_host(host, y);
  }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    Matrix<Scalar> host;
    op_.adjoint_times(copy_to_host(w), copy_to_host(v), host);
    copy_from_host(host, g);
  }

 private:
  A op_;
};

}  // namespace projfgd::test

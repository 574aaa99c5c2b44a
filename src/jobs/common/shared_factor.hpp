// A factor whose rows are shared out over the ranks of a run, with the algebra of core/factor.hpp:
// each rank does its part of what an iteration does beside products, and sums are over all ranks,
// with the same bits on each.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/factor_lists.hpp"
#include "projfgd/core/ranks.hpp"

namespace projfgd {

/// Says which ranks share the factors that this thread works with, for as long as it lives.
class SharedBy {
 public:
  explicit SharedBy(const Ranks& ranks) : before_(std::exchange(current(), &ranks)) {}
  SharedBy(const SharedBy&) = delete;
  SharedBy& operator=(const SharedBy&) = delete;
  ~SharedBy() { current() = before_; }

  static const Ranks& ranks() { return *current(); }
  /// The first of n rows that is that rank's.
  static Index begin(Index rows, int rank) { return rows * rank / ranks().size(); }

 private:
  static const Ranks*& current() {
    static thread_local const Ranks* ranks = &alone();
    return ranks;
  }
  const Ranks* before_;
};

template <class S>
class SharedFactor {
 public:
  using Scalar = S;

  Index rows() const { return rows_; }
  Index cols() const { return mine.cols(); }
  /// The caller fills in the rows of this rank.
  void resize(Index rows, Index cols) {
    const int rank = SharedBy::ranks().rank();
    rows_ = rows;
    mine.resize(SharedBy::begin(rows, rank + 1) - SharedBy::begin(rows, rank), cols);
  }

  Matrix<S> mine;  ///< the rows of this rank

 private:
  Index rows_ = 0;
};

template <class S>
RealOf<S> dot(const SharedFactor<S>& u, const SharedFactor<S>& v) {
  return static_cast<RealOf<S>>(SharedBy::ranks().sum(static_cast<double>(dot(u.mine, v.mine))));
}
template <class S>
RealOf<S> norm(const SharedFactor<S>& u) {
  const auto size = static_cast<double>(norm(u.mine));
  return static_cast<RealOf<S>>(std::sqrt(SharedBy::ranks().sum(size * size)));
}
template <class S>
bool all_finite(const SharedFactor<S>& u) {
  return SharedBy::ranks().all(all_finite(u.mine));
}
template <class S>
void axpy(std::type_identity_t<RealOf<S>> a, const SharedFactor<S>& x, SharedFactor<S>& y) {
  axpy(a, x.mine, y.mine);
}
template <class S>
void scale(std::type_identity_t<RealOf<S>> a, SharedFactor<S>& x) {
  scale(a, x.mine);
}
template <class S>
void subtract(const SharedFactor<S>& x, const SharedFactor<S>& y, SharedFactor<S>& out) {
  out.resize(x.rows(), x.cols());
  subtract(x.mine, y.mine, out.mine);
}
template <class S>
Matrix<S> gram(const SharedFactor<S>& u, const SharedFactor<S>& v) {
  Matrix<S> products = Matrix<S>::Zero(u.cols(), v.cols());
  if (u.mine.rows() > 0) products = gram(u.mine, v.mine);
  SharedBy::ranks().sum(products);
  return products;
}
template <class S>
void multiply(const SharedFactor<S>& u, const Matrix<S>& r, SharedFactor<S>& out) {
  out.resize(u.rows(), r.cols());
  multiply(u.mine, r, out.mine);
}
template <class S>
void set_zero(Index rows, Index cols, SharedFactor<S>& out) {
  out.resize(rows, cols);
  out.mine.setZero();
}

/// All rows, on every rank.
template <class S>
Matrix<S> copy_to_host(const SharedFactor<S>& u) {
  const Ranks& ranks = SharedBy::ranks();
  const Index columns = u.cols();
  std::vector<std::size_t> bytes;
  for (int k = 0; k < ranks.size(); ++k) {
    const Index rows = SharedBy::begin(u.rows(), k + 1) - SharedBy::begin(u.rows(), k);
    bytes.push_back(static_cast<std::size_t>(rows * columns) * sizeof(S));
  }
  Vector<S> gathered(u.rows() * columns);
  ranks.gather(u.mine.data(), bytes, gathered.data());
  Matrix<S> all(u.rows(), columns);
  for (int k = 0; k < ranks.size(); ++k) {
    const Index first = SharedBy::begin(u.rows(), k), end = SharedBy::begin(u.rows(), k + 1);
    all.middleRows(first, end - first) =
        Eigen::Map<const Matrix<S>>(gathered.data() + first * columns, end - first, columns);
  }
  return all;
}
template <class S>
void copy_from_host(const Matrix<S>& host, SharedFactor<S>& u) {
  u.resize(host.rows(), host.cols());
  u.mine = host.middleRows(SharedBy::begin(host.rows(), SharedBy::ranks().rank()), u.mine.rows());
}

/// The rows of this rank of each factor in a list.
template <class S>
std::vector<const Matrix<S>*> own_rows(FactorList<SharedFactor<S>> us) {
  std::vector<const Matrix<S>*> rows;
  for (const SharedFactor<S>* u : us) rows.push_back(&u->mine);
  return rows;
}
template <class S>
void dots(FactorList<SharedFactor<S>> us, const SharedFactor<S>& v, std::span<RealOf<S>> out) {
  dots(FactorList<Matrix<S>>(own_rows(us)), v.mine, out);
  SharedBy::ranks().sum(out.data(), static_cast<Index>(out.size()));
}
/// One sum over the ranks serves all pairs.
template <class S>
void inner_products(PairList<SharedFactor<S>> pairs, std::span<double> out) {
  std::vector<FactorPair<Matrix<S>>> rows;
  for (const auto& pair : pairs) rows.push_back({&pair.u->mine, &pair.v->mine});
  inner_products(PairList<Matrix<S>>(rows), out);
  SharedBy::ranks().sum(out.data(), static_cast<Index>(out.size()));
}
template <class S>
void axpys(std::span<const RealOf<S>> a, FactorList<SharedFactor<S>> us, SharedFactor<S>& v) {
  axpys(a, FactorList<Matrix<S>>(own_rows(us)), v.mine);
}

}  // namespace projfgd

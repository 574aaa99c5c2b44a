#pragma once

#include <vector>

#include "projfgd/core/buffer_pool.hpp"

namespace projfgd {

/// y_i = <A_i, X> with Hermitian A_i stored in full: m n^2 numbers, for small n.
template <class S>
class DenseOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  /// InputError unless all A_i are Hermitian and of one size.
  explicit DenseOperator(const std::vector<Matrix<S>>& matrices);

  Index rows() const { return n_; }
  Index measurements() const { return columns_.cols(); }
  /// Column i is A_i, column by column.
  const Matrix<S>& columns() const { return columns_; }
  void forward(const Factor& u, Vector<Real>& y) const { forward(u, u, y); }
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const;
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const;

 private:
  Index n_;
  Matrix<S> columns_;
  mutable BufferPool<S> work_space_;
};

}  // namespace projfgd

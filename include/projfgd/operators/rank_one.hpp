#pragma once

#include <utility>

#include "projfgd/core/buffer_pool.hpp"

namespace projfgd {

/// y_i = a_i^H X a_i: A_i = a_i a_i^H. For a single column u, y = |A u|^2 with a_i^H the rows of A.
template <class S>
class RankOneOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  /// Row i of `a` is a_i^H.
  explicit RankOneOperator(Matrix<S> a) : a_(std::move(a)) {}

  Index rows() const { return a_.cols(); }
  Index measurements() const { return a_.rows(); }
  /// Row i is a_i^H.
  const Matrix<S>& vectors() const { return a_; }
  void forward(const Factor& u, Vector<Real>& y) const;
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const;
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const;

 private:
  Matrix<S> a_;
  mutable BufferPool<S> work_space_;
};

}  // namespace projfgd

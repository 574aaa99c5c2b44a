#pragma once

#include "projfgd/core/buffer_pool.hpp"

namespace projfgd {

/// X itself, by its coordinates in an orthonormal basis of the Hermitian matrices, so that
/// ||A(X)||_2 = ||X||_F. Column j gives sqrt 2 Re X_ij (and sqrt 2 Im X_ij if complex) for
/// i = 0 .. j - 1, then X_jj.
template <class S>
class IdentityOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  explicit IdentityOperator(Index n) : n_(n) {}

  Index rows() const { return n_; }
  Index measurements() const { return is_complex<S> ? n_ * n_ : n_ * (n_ + 1) / 2; }
  void forward(const Factor& u, Vector<Real>& y) const { forward(u, u, y); }
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const;
  /// A((X + X^H) / 2) of any n x n matrix.
  Vector<Real> coordinates(const Matrix<S>& x) const;
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const;

 private:
  void coordinates(const Eigen::Ref<const Matrix<S>>& x, Vector<Real>& y) const;

  Index n_;
  mutable BufferPool<S> work_space_;
};

}  // namespace projfgd

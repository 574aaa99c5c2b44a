#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "projfgd/core/archive.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {

/// X = U U^H built by steps X <- (1 - a) X + a w v v^H, ||v|| = 1: one column an atom, compressed
/// by an eigendecomposition of U^H U when the columns have doubled, so that their number follows
/// the numerical rank of X and not the number of steps.
template <class S>
class AtomSum {
 public:
  using Real = RealOf<S>;

  explicit AtomSum(Matrix<S> start) : u_(std::move(start)) { compress(); }

  const Matrix<S>& factor() const { return u_; }

  double size() const { return std::sqrt(square_); }  ///< ||X||_F

  /// Sets X = U U^H.
  void assign(Matrix<S> u) {
    u_ = std::move(u);
    compress();
  }

  /// Takes the step; returns its length ||a (w v v^H - X)||_F in parts of ||X||_F after it.
  double step(double a, double weight, const Matrix<S>& v) {
    const double along = gram(u_, v).squaredNorm();  // v^H X v
    const double apart = std::max(square_ - 2 * weight * along + weight * weight, 0.0);
    const double length = a * std::sqrt(apart);
    square_ =
        (1 - a) * (1 - a) * square_ + 2 * a * (1 - a) * weight * along + a * a * weight * weight;
    scale(static_cast<Real>(std::sqrt(1 - a)), u_);
    if (a * weight > 0) {
      u_.conservativeResize(Eigen::NoChange, u_.cols() + 1);
      u_.col(u_.cols() - 1) = static_cast<Real>(std::sqrt(a * weight)) * v.col(0);
    }
    if (u_.cols() > limit_) compress();
    return length > 0 ? length / size() : 0;
  }

  /// Makes the columns orthogonal, the longest first, and drops those that vanish.
  void compress() {
    const HermitianEigen<S> eigen = hermitian_eigen<S>(gram(u_, u_));
    const Real floor = eigen.values.sum() * Eigen::NumTraits<Real>::epsilon();
    Index keep = 1;
    while (keep < u_.cols() && eigen.values[u_.cols() - 1 - keep] > floor) ++keep;
    u_ = (u_ * eigen.vectors.rightCols(keep).rowwise().reverse()).eval();
    square_ = eigen.values.squaredNorm();
    limit_ = 2 * keep + 16;
  }

  void keep(Archive& archive) { archive(u_, square_, limit_); }

 private:
  Matrix<S> u_;
  double square_ = 0;  // ||X||_F^2
  Index limit_ = 0;
};

}  // namespace projfgd

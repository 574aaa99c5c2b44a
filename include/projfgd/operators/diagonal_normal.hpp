#pragma once

#include <utility>

#include "projfgd/operators/block_operator.hpp"

namespace projfgd {

/// A block operator with a diagonal A^H A: every pixel is measured by itself.
template <class S>
class DiagonalNormalOperator : public BlockOperator<S> {
 public:
  using typename BlockOperator<S>::Real;
  using typename BlockOperator<S>::Factor;

  void solve_normal(Factor& g) const override { multiply(root_.cwiseAbs2(), g); }
  void solve_root(Factor& z) const override { multiply(root_, z); }
  void solve_root_adjoint(Factor& g) const override { multiply(root_, g); }
  void drop_unseen(Factor& z) const override {
    for (Index k = 0; k < root_.size(); ++k) {
      if (!(root_[k] > 0)) z.row(k).setZero();
    }
  }

 protected:
  /// The diagonal of (A^H A)^{+1/2}, 0 where nothing is measured.
  const Vector<Real>& root() const { return root_; }
  void set_root(Vector<Real> root) { root_ = std::move(root); }

 private:
  template <class Diagonal>
  static void multiply(const Diagonal& diagonal, Factor& z) {
    for (Index c = 0; c < z.cols(); ++c) {
      z.col(c).array() *= diagonal.array().template cast<S>();
    }
  }

  Vector<Real> root_;
};

}  // namespace projfgd

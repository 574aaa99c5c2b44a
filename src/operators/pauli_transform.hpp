// Between n x n matrices and their Pauli coordinates.
#pragma once

#include <complex>
#include <vector>

#include "outcome_tree.hpp"

namespace projfgd::coordinates {

/// The coordinates x_P = tr(P X) of a Hermitian X, n = 2^q, and the matrix sum_P x_P P, by q passes
/// of 2 x 2 blocks over an n x n array.
template <class R>
class PauliTransform {
 public:
  using C = std::complex<R>;

  explicit PauliTransform(Index n);

  /// Of (U V^H + V U^H) / 2.
  void of_product(const Matrix<C>& u, const Matrix<C>& v, R* x) const;
  /// g = (sum_P x_P P) v
  void times(const R* x, const Matrix<C>& v, Matrix<C>& g) const;

  /// Multiplications of either, and numbers that either needs for its work.
  double cost(Index columns) const;
  double work_space() const;

 private:
  Index n_;
  std::vector<Index> place_;  // of the bits of a row, every second one
  mutable BufferPool<R> work_space_;
};

/// The products of ProductBasisOperator by way of X = U U^H itself: its 4^q coordinates once, and
/// from those all outcomes of all settings. Column by column costs r times the tree of the
/// settings, this only one tree and 4 n^2 r.
template <class R>
class DenseOutcomes {
 public:
  DenseOutcomes(const std::vector<Setting>& settings, const std::vector<QubitBasis>& bases);

  void forward(const Matrix<std::complex<R>>& u, const Matrix<std::complex<R>>& d, R* p) const;
  void adjoint_times(const R* w, const Matrix<std::complex<R>>& v,
                     Matrix<std::complex<R>>& g) const;

  double cost(Index columns) const { return tree_.cost() + transform_.cost(columns); }
  double work_space() const;

 private:
  OutcomeTree<R> tree_;
  PauliTransform<R> transform_;
  mutable BufferPool<R> coordinates_;
};

}  // namespace projfgd::coordinates

#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <vector>

#include "projfgd/operators/block_operator.hpp"

namespace projfgd {

/// Measurement vectors of one's own: row i of the m x n matrix A is a_i^H. Gaussian vectors are the
/// textbook case. The blocks are runs of rows; their Gram matrices and A^H A are factored once.
template <class S>
class RowsOperator final : public BlockOperator<S> {
 public:
  using typename BlockOperator<S>::Factor;
  using typename BlockOperator<S>::Into;
  using typename BlockOperator<S>::Visit;

  /// Throws InputError when A has fewer rows than columns or not full rank.
  explicit RowsOperator(Matrix<S> a);

  Index rows() const override { return a_.cols(); }
  Index measurements() const override { return a_.rows(); }
  Index block_size() const override { return block_size_; }
  void solve_normal(Factor& g) const override;
  void solve_root(Factor& z) const override { normal_.matrixU().solveInPlace(z); }
  void solve_root_adjoint(Factor& g) const override { normal_.matrixL().solveInPlace(g); }

 protected:
  double visit_block(Index b, const S* z, const Visit& visit, S* out, Into into) const override;

 private:
  auto block(Index b) const {
    const Index begin = b * block_size_;
    return a_.middleRows(begin, std::min(block_size_, a_.rows() - begin));
  }

  Matrix<S> a_;
  Index block_size_;
  mutable BufferPool<S> work_space_;
  std::vector<Eigen::LLT<Matrix<S>>> grams_;  ///< of A_b A_b^H
  Eigen::LLT<Matrix<S>> normal_;              ///< of A^H A
};

}  // namespace projfgd

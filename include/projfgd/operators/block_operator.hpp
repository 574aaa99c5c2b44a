#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "projfgd/core/buffer_pool.hpp"
#include "projfgd/core/factor.hpp"
#include "projfgd/core/function_ref.hpp"

namespace projfgd {

/// A linear map A from C^n to C^m whose amplitudes |A z| are what a phase retrieval experiment
/// sees, cut into blocks of rows A_b that are applied one at a time, so that work space is O(n) for
/// each thread. It is a MeasurementOperator with A_i = a_i a_i^H, a_i^H the rows, and a
/// LinearMeasurement.
///
/// A kind of experiment derives from this class and brings the product with one block, its adjoint
/// and its pseudo-inverse. Sums over blocks are taken in order: the same bits for any number of
/// threads.
template <class S>
class BlockOperator {
 public:
  using Scalar = S;
  using Real = RealOf<S>;
  using Factor = Matrix<S>;
  /// Sees, and may change, the entries begin, ..., begin + count - 1 of a vector of C^m. What it
  /// returns is added up, in order.
  using Visitor = FunctionRef<double(Index begin, Index count, S* v)>;

  BlockOperator() = default;
  BlockOperator(const BlockOperator&) = delete;
  BlockOperator& operator=(const BlockOperator&) = delete;
  virtual ~BlockOperator() = default;

  virtual Index rows() const = 0;
  virtual Index measurements() const = 0;
  /// Entries of every block but perhaps the last.
  virtual Index block_size() const = 0;
  /// Takes the rows that are marked, by something other than 0, for rows of zeros: measurements
  /// that were not made. Their data are 0. Throws InputError unless there is a mark for each row.
  void leave_out(std::vector<std::uint8_t> marks);
  /// The rows that are not left out.
  Index measured() const { return measurements() - left_out_count_; }
  Index blocks() const { return (measurements() + block_size() - 1) / block_size(); }

  void forward(const Factor& u, Vector<Real>& y) const;
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const;
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const;

  /// v = A z for a single column z, shown to the visitor piece by piece.
  double apply(const Factor& z, const Visitor& visit) const;
  /// g = A^H v, v filled in by the visitor piece by piece.
  double adjoint(const Visitor& fill, Factor& g) const;
  /// g = A^H visit(A z): one gradient costs one product with A and one with its adjoint.
  double pass(const Factor& z, const Visitor& visit, Factor& g) const;

  /// z <- z + A_b^+ (amplitude phase(A_b z) - A_b z), which has |A_b z| = amplitude on block b
  /// where A_b^+ is not damped; || |A_b z| - amplitude ||^2 before.
  double project_block(Index b, const Vector<Real>& amplitude, Factor& z) const;

  /// g <- (A^H A)^+ g, of all rows, left out or not.
  virtual void solve_normal(Factor& g) const = 0;

  /// With A^H A = R^H R of all rows, left out or not: z <- R^+ z, and g <- R^{+H} g.
  virtual void solve_root(Factor& z) const = 0;
  virtual void solve_root_adjoint(Factor& g) const = 0;

  /// Sets to 0 the entries of z that no row sees.
  virtual void drop_unseen(Factor& /*z*/) const {}

  /// Products with a block and with the adjoint of one so far: for Fourier operators, transforms.
  Index forward_products() const { return forward_products_; }
  Index adjoint_products() const { return adjoint_products_; }
  Index products() const { return forward_products_ + adjoint_products_; }

 protected:
  /// v = A_b z
  virtual void apply_block(Index b, const S* z, S* v) const = 0;
  /// Whether a result is written or added to what is there.
  enum class Into { place, sum };
  /// out = A_b^H v, or added to it; v is work space afterwards.
  virtual void adjoint_block(Index b, S* v, S* out, Into into) const = 0;
  /// z += A_b^+ v, perhaps damped where A_b is nearly 0; v is work space afterwards.
  virtual void add_pseudo_inverse_block(Index b, S* v, S* z) const = 0;

 private:
  Index count(Index b) const { return std::min(block_size(), measurements() - b * block_size()); }
  /// v = A_b z, with zeros where a row is left out.
  void product(Index b, const S* z, S* v) const;
  void drop_left_out(Index b, S* v) const;
  double visit_block(Index b, const Visitor& visit, S* v) const;
  template <class Body>
  double for_each_block(const Body& body) const;
  template <class Fill>
  double gather(Factor& g, Index column, const Fill& fill) const;

  std::vector<std::uint8_t> left_out_;  // empty: none
  Index left_out_count_ = 0;
  mutable std::atomic<Index> forward_products_ = 0, adjoint_products_ = 0;
  mutable BufferPool<S> work_space_;
  mutable BufferPool<double> terms_;  // of sums that are taken in order
};

}  // namespace projfgd

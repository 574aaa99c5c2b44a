#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <vector>

#include "projfgd/core/any.hpp"
#include "projfgd/core/archive.hpp"
#include "projfgd/core/buffer_pool.hpp"
#include "projfgd/core/factor.hpp"
#include "projfgd/core/function_ref.hpp"
#include "projfgd/core/phase_elements.hpp"
#include "projfgd/core/ranks.hpp"
#include "projfgd/core/values.hpp"
#include "projfgd/operators/check.hpp"
#include "projfgd/operators/piece.hpp"

namespace projfgd {

/// A linear map A from C^n to C^m whose amplitudes |A z| are what a phase retrieval experiment
/// sees, cut into blocks of rows A_b that are applied one at a time, so that work space is O(n) for
/// each thread. It is a MeasurementOperator with A_i = a_i a_i^H, a_i^H the rows, and a
/// LinearMeasurement.
///
/// Methods say what is done to the entries of A z by functions of one entry, f(v_i, data_i...), as
/// in core/phase_elements.hpp; the data are arrays of m numbers, Values or ComplexValues.
///
/// A kind of experiment derives from this class and brings the product with one block, its adjoint
/// and its pseudo-inverse. Sums over blocks are taken in order: the same bits for any number of
/// threads.
template <class S>
class BlockOperator {
 public:
  using Scalar = S;
  using Real = RealOf<S>;
  using Place = Host;
  using Factor = Matrix<S>;
  using Values = Vector<Real>;
  using ComplexValues = Vector<S>;

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
  /// Those marks, or none.
  const std::vector<std::uint8_t>& left_out() const { return left_out_; }
  /// Lets each of these ranks compute the products with its share of the blocks. Sums are then over
  /// all ranks. Arrays that functions of an entry change hold on each rank what its own blocks have
  /// become; complete() gives them to all. Methods that take one block after the other, each from
  /// the point that the last one left, gain nothing.
  void split_over(const Ranks& ranks) { ranks_ = &ranks; }
  /// The rows that are not left out.
  Index measured() const { return measurements() - left_out_count_; }
  Index blocks() const { return (measurements() + block_size() - 1) / block_size(); }

  void forward(const Factor& u, Values& y) const;
  void forward(const Factor& u, const Factor& d, Values& y) const;
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const;

  /// v = A z for a single column z, and f of its entries.
  template <class Function, class... Arrays>
  double apply(const Factor& z, const Function& f, Arrays&... data) const {
    require_fit(z, data...);
    return visit(z.data(), elements(f, data...), nullptr);
  }

  /// g = A^H v, with the entries that f gives to v.
  template <class Function, class... Arrays>
  double adjoint(const Function& f, Factor& g, Arrays&... data) const {
    require_sizes(data...);
    g.resize(rows(), 1);
    return visit(nullptr, elements(f, data...), g.data());
  }

  /// g = A^H f(A z): one gradient costs one product with A and one with its adjoint.
  template <class Function, class... Arrays>
  double pass(const Factor& z, const Function& f, Factor& g, Arrays&... data) const {
    require_fit(z, data...);
    g.resize(rows(), 1);
    return visit(z.data(), elements(f, data...), g.data());
  }

  /// sum_i f(data_i...) over all rows, each as the rank that has it knows it.
  template <class Function, class First, class... Rest>
  auto sum(const Function& f, const Vector<First>& first, const Vector<Rest>&... rest) const {
    require_sizes(first, rest...);
    const Index begin = first_row(ranks_->rank()), size = first_row(ranks_->rank() + 1) - begin;
    auto total = sum_entries(f, size, first.data() + begin, (rest.data() + begin)...);
    if constexpr (std::same_as<decltype(total), Sums>) {
      ranks_->sum(total.data(), static_cast<Index>(total.size()));
    } else {
      total = ranks_->sum(total);
    }
    return total;
  }

  /// Gives the rows that each rank has to all others.
  template <class T>
  void complete(Vector<T>& rows_of_all) const {
    require_sizes(rows_of_all);
    if (!ranks_->is_alone()) exchange(rows_of_all.data(), sizeof(T));
  }

  /// g += A_b^H f(A_b z) for one block; the data are those of all blocks.
  template <class Function, class... Arrays>
  double pass_block(Index b, const Factor& z, const Function& f, Factor& g, Arrays&... data) const {
    require_fit(z, data...);
    require_factor(g, rows());
    return visit_measured_block(b, z.data(), elements(f, data...), g.data(), Into::sum);
  }

  /// The same where f sees all rows of the block, left out or not; measured_rows() tells them
  /// apart.
  template <class Function, class... Arrays>
  double pass_whole_block(Index b, const Factor& z, const Function& f, Factor& g,
                          Arrays&... data) const {
    require_fit(z, data...);
    require_factor(g, rows());
    return visit_whole_block(b, z.data(), elements(f, data...), g.data(), Into::sum);
  }

  /// out_i = 1 for a row that was measured, 0 for one that is left out.
  void measured_rows(Values& out) const;

  /// z <- z + A_b^+ (amplitude phase(A_b z) - A_b z), which has |A_b z| = amplitude on block b
  /// where A_b^+ is not damped; 1/2 || |A_b z| - amplitude ||^2 before.
  double project_block(Index b, const Values& amplitude, Factor& z) const;

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
  void keep_products(Archive& archive) const {
    Index forward = forward_products_, adjoint = adjoint_products_;
    archive(forward, adjoint);
    forward_products_ = forward;
    adjoint_products_ = adjoint;
  }

 protected:
  /// Sees, and may change, a piece of a block; what it returns is added up, in order.
  using Visit = FunctionRef<double(const Piece<S>& piece)>;
  /// What becomes of A_b^H v, or of A_b^+ v.
  enum class Into {
    place,          ///< out = A_b^H v
    sum,            ///< out += A_b^H v
    pseudo_inverse  ///< out += A_b^+ v, perhaps damped where A_b is nearly 0
  };
  /// Shows v = A_b z to the visitor, or without z a v for it to fill in, and, unless out is null,
  /// multiplies what it left by the adjoint. Numbers of entries count from the block's first. z may
  /// be out.
  virtual double visit_block(Index b, const S* z, const Visit& visit, S* out, Into into) const = 0;

 private:
  template <class Function, class... Arrays>
  static auto elements(const Function& f, Arrays&... data) {
    return [f, ... array = data.data()](const Piece<S>& piece) {
      return run_elements(piece, f, array...);
    };
  }
  template <class... Arrays>
  void require_sizes(const Arrays&... data) const {
    (require_size("data points", data.size(), measurements()), ...);
  }
  template <class... Arrays>
  void require_fit(const Factor& z, const Arrays&... data) const {
    require_factor(z, rows());
    require_sizes(data...);
  }

  /// Shows block b with the numbers that its entries have in C^m.
  double visit_whole_block(Index b, const S* z, const Visit& visit, S* out, Into into) const;
  /// The same with zeros where a row is left out.
  double visit_measured_block(Index b, const S* z, const Visit& visit, S* out, Into into) const;
  /// Blocks whose adjoint products are added up together, and the first and one past the last of
  /// such groups that this rank takes.
  struct Share {
    Index group, first, end;
  };
  Share share_of(int rank) const;
  /// The first row of that rank's blocks; of one past the last rank, the number of rows.
  Index first_row(int rank) const;
  void exchange(void* entries, std::size_t size) const;
  /// All blocks; out = A^H v unless it is null.
  double visit(const S* z, const Visit& visit, S* out) const;

  std::vector<std::uint8_t> left_out_;  // empty: none
  Index left_out_count_ = 0;
  const Ranks* ranks_ = &alone();
  mutable std::atomic<Index> forward_products_ = 0, adjoint_products_ = 0;
  mutable BufferPool<S> work_space_;
  mutable BufferPool<double> terms_;  // of sums that are taken in order
};

}  // namespace projfgd

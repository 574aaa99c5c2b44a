// Matrix problems in another place.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "jobs/matrix/loss.hpp"
#include "projfgd/jobs/place.hpp"
#include "projfgd/operators/dense.hpp"
#include "projfgd/operators/entries.hpp"
#include "projfgd/operators/rank_one.hpp"

namespace projfgd {

/// An operator of the host that others look at, too.
template <class A>
class SharedOperator {
 public:
  using Factor = typename A::Factor;
  using Values = typename A::Values;

  explicit SharedOperator(std::shared_ptr<const A> op) : op_(std::move(op)) {}
  Index rows() const { return op_->rows(); }
  Index measurements() const { return op_->measurements(); }
  void forward(const Factor& u, Values& y) const { op_->forward(u, y); }
  void forward(const Factor& u, const Factor& d, Values& y) const { op_->forward(u, d, y); }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    op_->adjoint_times(w, v, g);
  }

 private:
  std::shared_ptr<const A> op_;
};

/// An operator that other places know.
template <class S>
struct MatrixOperator {
  std::variant<std::shared_ptr<const EntriesOperator<S>>, std::shared_ptr<const DenseOperator<S>>,
               std::shared_ptr<const RankOneOperator<S>>>
      host;
};

/// Such an operator in a place.
template <class S>
class PlacedMatrices {
 public:
  PlacedMatrices() = default;
  PlacedMatrices(const PlacedMatrices&) = delete;
  PlacedMatrices& operator=(const PlacedMatrices&) = delete;
  virtual ~PlacedMatrices() = default;

  /// Products there with factors of the host.
  virtual AnyOperator<S> op() const = 0;
  /// `here` as a problem of that place, where the set is known there or not.
  virtual std::shared_ptr<const PlacedProblem<S>> problem(const Problem<S>& here,
                                                          const MatrixLoss<RealOf<S>>& loss,
                                                          const ConstraintSpec& set) const = 0;
};

}  // namespace projfgd

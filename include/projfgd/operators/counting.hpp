#pragma once

#include <memory>
#include <utility>

#include "projfgd/core/result.hpp"

namespace projfgd {

/// Another operator that counts its products. Copies share the counts, so a copy handed to a solver
/// reports here; one thread at a time.
template <MeasurementOperator A>
class CountingOperator {
 public:
  using Factor = typename A::Factor;
  using Real = RealOf<Factor>;
  using Values = typename A::Values;

  explicit CountingOperator(A op) : operator_(std::move(op)) {}

  Index rows() const { return operator_.rows(); }
  Index measurements() const { return operator_.measurements(); }
  void forward(const Factor& u, Values& y) const {
    ++counts_->forward;
    operator_.forward(u, y);
  }
  void forward(const Factor& u, const Factor& d, Values& y) const {
    ++counts_->forward;
    operator_.forward(u, d, y);
  }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    ++counts_->adjoint;
    operator_.adjoint_times(w, v, g);
  }

  /// Another operator, whose products are counted here too.
  template <MeasurementOperator B>
  CountingOperator<B> of(B other) const {
    CountingOperator<B> out(std::move(other));
    out.counts_ = counts_;
    return out;
  }

  const OracleCounts& counts() const { return *counts_; }
  void reset_counts() const { *counts_ = {}; }
  void keep(Archive& archive) const { archive(counts_->forward, counts_->adjoint); }

 private:
  template <MeasurementOperator>
  friend class CountingOperator;

  A operator_;
  std::shared_ptr<OracleCounts> counts_ = std::make_shared<OracleCounts>();
};

}  // namespace projfgd

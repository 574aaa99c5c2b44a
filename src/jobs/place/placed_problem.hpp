#pragma once

#include <optional>
#include <utility>

#include "jobs/common/constraint_table.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/jobs/place.hpp"
#include "projfgd/operators/white_noise.hpp"
#include "projfgd/solvers/projfgd.hpp"

namespace projfgd {

/// PlacedProblem for any place that AnyOperator and the like know.
template <class S, class There>
class PlacedProblemIn final : public PlacedProblem<S> {
 public:
  using Op = AnyOperator<S, There>;
  using Loss = AnyLoss<RealOf<S>, There>;
  using Set = AnyConstraint<S, There>;

  PlacedProblemIn(const Problem<S>& here, Op op, Loss loss, std::optional<Set> set)
      : here_{here.op, here.loss, here.set},
        op_(std::move(op)),
        loss_(std::move(loss)),
        set_(std::move(set)) {}

  bool is_of(const Problem<S>& problem) const override {
    return problem.op.is(here_.op) && problem.loss.is(here_.loss);
  }
  bool has_set_of(const Problem<S>& problem) const override {
    return set_ && problem.set.is(here_.set);
  }

  std::shared_ptr<const PlacedProblem<S>> with_white_noise(
      const Problem<S>& noisy, const Vector<RealOf<S>>& white,
      const ConstraintSpec& set) const override {
    typename There::template Values<RealOf<S>> values;
    copy_from_host(white, values);
    return std::make_shared<PlacedProblemIn>(noisy, WhiteNoiseOperator<Op>(op_, std::move(values)),
                                             loss_, constraint_in<S, There>(set, noisy.op.rows()));
  }

  Start<Matrix<S>> spectral_start(const typename MethodCall<S>::Operator& op, Index rank,
                                  double smoothness, const EigenOptions& options) const override {
    const auto counted = op.of(op_);
    Composite f(counted, loss_);
    const auto start = projfgd::spectral_start(f, rank, smoothness, options);
    return {copy_to_host(start.factor), start.smoothness};
  }

  Result<Matrix<S>> run(MethodCall<S>& call, bool in_set) const override {
    const auto counted = call.op.of(op_);
    Composite f(counted, loss_);
    Start<Matrix<S>> here = call.start();
    Start<Factor> start{{}, here.smoothness};
    copy_from_host(here.factor, start.factor);
    here.factor.resize(0, 0);
    const bool is_watched = static_cast<bool>(call.problem.error);  // nobody else looks at iterates
    const Watcher watcher = [&call, is_watched](const Snapshot<Factor>& now) {
      return call.observer({is_watched ? copy_to_host(now.factor) : Matrix<S>(), now.row});
    };
    auto found = projfgd::projfgd(f, in_set ? *set_ : Set(Unconstrained()), std::move(start),
                                  call.options, watcher);
    return {copy_to_host(found.factor),
            found.status,
            std::move(found.message),
            found.iterations,
            found.objective,
            found.projected_gradient,
            found.seconds,
            std::move(found.trace)};
  }

 private:
  using Factor = typename There::template Factor<S>;
  using Watcher = std::function<Decision(const Snapshot<Factor>&)>;  // so that it is compiled once

  struct {
    AnyOperator<S> op;
    AnyLoss<RealOf<S>> loss;
    AnyConstraint<S> set;
  } here_;
  Op op_;
  Loss loss_;
  std::optional<Set> set_;
};

}  // namespace projfgd

// How a job splits its problem over the ranks of a run.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "projfgd/operators/split.hpp"

namespace projfgd {

/// The operator and the loss of all data, of which this rank computes its part: `own_op` and
/// `own_loss`, or nothing where it has none.
template <class S>
std::pair<AnyOperator<S>, AnyLoss<RealOf<S>>> split_over(
    std::shared_ptr<const Parts> parts, Index rows, AnyLoss<RealOf<S>> all,
    std::optional<AnyOperator<S>> own_op, std::optional<AnyLoss<RealOf<S>>> own_loss) {
  PartLoss<RealOf<S>> part_loss(parts, std::move(own_loss), all.quadratic());
  PartOperator<S> part_op(parts, std::move(own_op), rows);
  return {SplitOperator<S>(std::move(parts), std::move(part_op)),
          SplitLoss<RealOf<S>>(std::move(all), std::move(part_loss))};
}

}  // namespace projfgd

// Matrix problems whose factors stay on a device.
#include "jobs/place/device_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <type_traits>
#include <variant>

#include "jobs/common/solver_memory.hpp"
#include "jobs/place/placed_problem.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/hosted.hpp"
#include "projfgd/device/matrices.hpp"

namespace projfgd {
namespace {

template <class S>
auto operator_there(const EntriesOperator<S>& host) {
  return DeviceEntriesOperator<S>(host);
}
template <class S>
auto operator_there(const DenseOperator<S>& host) {
  return DeviceDenseOperator<S>(host);
}
template <class S>
auto operator_there(const RankOneOperator<S>& host) {
  return DeviceRankOneOperator<S>(host);
}

template <class S>
class MatricesThere final : public PlacedMatrices<S> {
 public:
  explicit MatricesThere(const MatrixOperator<S>& op)
      : op_(std::visit(
            [](const auto& host) -> AnyOperator<S, Device> { return operator_there(*host); },
            op.host)),
        hosted_(HostedOperator(op_)) {}

  AnyOperator<S> op() const override { return hosted_; }

  std::shared_ptr<const PlacedProblem<S>> problem(const Problem<S>& here,
                                                  const MatrixLoss<RealOf<S>>& loss,
                                                  const ConstraintSpec& set) const override {
    return std::make_shared<PlacedProblemIn<S, Device>>(
        here, op_, loss.template in<Device>(), constraint_in<S, Device>(set, here.op.rows()));
  }

 private:
  AnyOperator<S, Device> op_;
  AnyOperator<S> hosted_;
};

}  // namespace

template <class S>
std::shared_ptr<const PlacedMatrices<S>> matrices_there(const MatrixOperator<S>& op, Index columns,
                                                        const std::string& device, double left) {
  std::visit(
      [&](const auto& host) {
        using There = decltype(operator_there(*host));
        const auto rows = static_cast<double>(host->rows()),
                   measurements = static_cast<double>(host->measurements()),
                   width = static_cast<double>(columns);
        const double need = There::bytes(*host, columns) +
                            solver_bytes(rows, measurements, width, is_complex<S>,
                                         std::is_same_v<RealOf<S>, float>, Options{});
        if (need <= left) return;
        throw ResourceError(fmt::format(
            "{}: these {} measurements of a matrix of {} x {} need {:.3g} MB of its memory with "
            "{} columns, but only {:.3g} MB are free; use --device cpu",
            device, host->measurements(), host->rows(), host->rows(), need / 1e6, columns,
            left / 1e6));
      },
      op.host);
  return std::make_shared<MatricesThere<S>>(op);
}

#define PROJFGD_MATRICES(S)                                         \
  template std::shared_ptr<const PlacedMatrices<S>> matrices_there( \
      const MatrixOperator<S>&, Index, const std::string&, double);

PROJFGD_MATRICES(float)
PROJFGD_MATRICES(double)
PROJFGD_MATRICES(std::complex<float>)
PROJFGD_MATRICES(std::complex<double>)
#undef PROJFGD_MATRICES

}  // namespace projfgd

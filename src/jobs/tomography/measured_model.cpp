#include "jobs/tomography/measured_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <utility>

#include "jobs/common/split.hpp"
#include "jobs/tomography/measured.hpp"
#include "jobs/tomography/parts.hpp"
#include "jobs/tomography/state_loss.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/operators/pauli.hpp"
#include "projfgd/operators/readout.hpp"
#include "projfgd/operators/seen_outcomes.hpp"

namespace projfgd {
namespace {

/// Before the operators allocate: data, predictions and their gradients.
void require_room(double measurements, int qubits) {
  require_memory(bytes_of_data(measurements, sizeof(double)),
                 fmt::format("{:.3g} measurements of {} qubits", measurements, qubits));
}

template <class S>
AnyOperator<S> make_operator(const ProjectorData& data, const ProjectorData& /*all*/,
                             const ModelChoice& /*choice*/, Index /*rank*/) {
  return projector_operator<S>(data);
}

template <class S>
AnyOperator<S> make_operator(const PauliData& data, const PauliData& all,
                             const ModelChoice& /*choice*/, Index /*rank*/) {
  require_room(static_cast<double>(data.strings.size()), data.qubits);
  return PauliOperator<S>(data.qubits, data.strings, static_cast<RealOf<S>>(scale_of(all)));
}

template <class S>
AnyOperator<S> make_operator(const CountsData& data, const CountsData& /*all*/,
                             const ModelChoice& choice, Index rank) {
  require_room(static_cast<double>(data.counts.size()), data.qubits);
  const ProductBasisOperator<S> settings(data.settings, data.bases);
  const Index n = settings.rows(), columns = std::clamp<Index>(rank, 1, n);
  require_memory(settings.work_space(columns) * sizeof(RealOf<S>),
                 fmt::format("the workspace for a factor of {} x {}", n, columns));
  const AnyOperator<S> ideal(settings);
  return choice.readout.empty() ? ideal : AnyOperator<S>(ReadoutOperator<S>(ideal, choice.readout));
}

template <class S>
AnyOperator<S> make_operator(const SeenCounts& data, const SeenCounts& /*all*/,
                             const ModelChoice& choice, Index rank) {
  require_room(static_cast<double>(data.counts.size()), data.qubits);
  SeenOutcomesOperator<S> op(data.seen, data.bases, choice.readout);
  const Index columns = std::max<Index>(rank, 1);
  require_memory(op.work_space(columns) * sizeof(RealOf<S>),
                 fmt::format("the workspace for a factor of {} x {}", op.rows(), columns));
  return AnyOperator<S>(std::move(op));
}

/// The model of these data, the alternative that `measured` holds. Each rank gets its part.
template <class S, class Data>
MeasuredModel<S> measured_by(const Data& data, const Measurements& measured,
                             const ModelChoice& choice, const RunSettings& settings,
                             const std::string& loss_name) {
  using R = RealOf<S>;
  const auto placed_part = [&](const Measurements& part) {
    return placed<S>(*choice.place, {part, measured, choice.readout},
                     std::max<Index>(settings.rank, 1));
  };
  const auto loss_of = [&](const Data& part) {
    return state_loss::make<R, Host>(loss_name, part, data);
  };
  if (settings.ranks->is_alone()) {
    if (!choice.place) {
      return {make_operator<S>(data, data, choice, settings.rank), loss_of(data)};
    }
    auto there = placed_part(measured);
    return {there->op(), loss_of(data), there};
  }
  const auto op_of = [&](const Data& part) {
    return choice.place ? placed_part(part)->op()
                        : make_operator<S>(part, data, choice, settings.rank);
  };
  auto parts = std::make_shared<const Parts>(parts_of(data, *settings.ranks));
  std::optional<AnyOperator<S>> own_op;
  std::optional<AnyLoss<R>> own_loss;
  if (parts->count() > 0) {
    const Data own = part_of(data, *parts);
    own_op = op_of(own);
    own_loss = loss_of(own);
  }
  auto [op, loss] = split_over<S>(std::move(parts), Index{1} << data.qubits, loss_of(data),
                                  std::move(own_op), std::move(own_loss));
  return {std::move(op), std::move(loss)};
}

}  // namespace

template <class S>
RankOneOperator<S> projector_operator(const ProjectorData& data) {
  const double numbers = std::ldexp(static_cast<double>(data.projectors.size()), data.qubits);
  constexpr double copies = 2;  // of their amplitudes, while they are made
  require_memory(copies * numbers * sizeof(std::complex<double>),
                 fmt::format("{} projectors of {} qubits", data.projectors.size(), data.qubits));
  return RankOneOperator<S>(product_bras(data.states, data.projectors).template cast<S>());
}

template <class S>
MeasuredModel<S> measured_model(const Measurements& measured, const ModelChoice& choice,
                                const RunSettings& settings, const std::string& loss_name) {
  return std::visit(
      [&](const auto& data) { return measured_by<S>(data, measured, choice, settings, loss_name); },
      measured);
}

#define PROJFGD_INSTANTIATE(S)                                                      \
  template RankOneOperator<S> projector_operator(const ProjectorData&);             \
  template MeasuredModel<S> measured_model(const Measurements&, const ModelChoice&, \
                                           const RunSettings&, const std::string&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

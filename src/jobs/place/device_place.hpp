// The place that the kernels of projfgd/device make, whichever way they were compiled.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "device/fma_loop.hpp"
#include "jobs/common/constraint_table.hpp"
#include "jobs/common/solver_memory.hpp"
#include "jobs/place/device_matrices.hpp"
#include "jobs/place/device_patterns.hpp"
#include "jobs/place/placed_problem.hpp"
#include "jobs/tomography/measured_model.hpp"
#include "jobs/tomography/state_loss.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/hosted.hpp"
#include "projfgd/device/matrices.hpp"
#include "projfgd/device/outcomes.hpp"
#include "projfgd/device/pauli.hpp"

namespace projfgd {

// The operator of each kind of data there, and the bytes that its products take.

template <class S>
AnyOperator<S, Device> operator_there(const PauliData& part, const PauliData& all, const Readout&) {
  return DevicePauliOperator<S>(part.qubits, part.strings, static_cast<RealOf<S>>(scale_of(all)));
}
template <class S>
AnyOperator<S, Device> operator_there(const CountsData& part, const CountsData&,
                                      const Readout& readout) {
  return DeviceOutcomesOperator<S>(part.settings, part.bases, readout);
}
template <class S>
AnyOperator<S, Device> operator_there(const SeenCounts& part, const SeenCounts&,
                                      const Readout& readout) {
  return DeviceOutcomesOperator<S>(part.seen, part.bases, readout);
}
template <class S>
AnyOperator<S, Device> operator_there(const ProjectorData& part, const ProjectorData&,
                                      const Readout&) {
  return DeviceRankOneOperator<S>(projector_operator<S>(part));
}

template <class S>
double operator_bytes(const PauliData& data, const Readout&, Index columns) {
  const auto strings = static_cast<double>(data.strings.size());
  return DevicePauliOperator<S>::bytes(data.qubits, strings, columns);
}
template <class S>
double operator_bytes(const CountsData& data, const Readout& readout, Index columns) {
  const auto settings = static_cast<double>(data.settings.size());
  return DeviceOutcomesOperator<S>::bytes(data.qubits, settings, 0, columns,
                                          readout.full.size() > 0);
}
template <class S>
double operator_bytes(const SeenCounts& data, const Readout&, Index columns) {
  return DeviceOutcomesOperator<S>::bytes(data.qubits,
                                          static_cast<double>(data.seen.settings.size()),
                                          static_cast<double>(data.seen.outcomes.size()), columns);
}
template <class S>
double operator_bytes(const ProjectorData& data, const Readout&, Index columns) {
  return DeviceRankOneOperator<S>::bytes(std::ssize(data.projectors), Index{1} << data.qubits,
                                         columns);
}

template <class S>
class DeviceMeasurements final : public PlacedMeasurements<S> {
 public:
  explicit DeviceMeasurements(const StateMeasurements& data)
      : data_(data.part),
        op_(std::visit(
            [&](const auto& part) {
              const auto& all = std::get<std::decay_t<decltype(part)>>(data.all);
              return operator_there<S>(part, all, data.readout);
            },
            data.part)),
        hosted_(HostedOperator(op_)) {}

  AnyOperator<S> op() const override { return hosted_; }

  std::shared_ptr<const PlacedProblem<S>> problem(const Problem<S>& here, const std::string& loss,
                                                  const ConstraintSpec& set) const override {
    auto there = std::visit(
        [&](const auto& data) { return state_loss::make<RealOf<S>, Device>(loss, data, data); },
        data_);
    return std::make_shared<PlacedProblemIn<S, Device>>(
        here, op_, std::move(there), constraint_in<S, Device>(set, here.op.rows()));
  }

  /// Bytes of the device for a solve, and for products with factors of the host beside it.
  static double bytes(const Measurements& data, const Readout& readout, Index columns) {
    const double products = std::visit(
        [&](const auto& part) { return operator_bytes<S>(part, readout, columns); }, data);
    const double rows = std::ldexp(1., qubits_of(data)), measurements = measurements_of(data);
    // What white noise predicts, and two factors without its row.
    const double white =
        sizeof(RealOf<S>) * measurements + 2 * sizeof(S) * rows * static_cast<double>(columns);
    return products + white +
           solver_bytes(rows, measurements, static_cast<double>(columns), true,
                        std::is_same_v<RealOf<S>, float>, Options{});
  }

 private:
  static double measurements_of(const Measurements& data) {
    if (const auto* paulis = std::get_if<PauliData>(&data)) {
      return static_cast<double>(paulis->strings.size());
    }
    if (const auto* counts = std::get_if<CountsData>(&data)) {
      return static_cast<double>(counts->counts.size());
    }
    if (const auto* projectors = std::get_if<ProjectorData>(&data)) {
      return static_cast<double>(projectors->counts.size());
    }
    return static_cast<double>(std::get<SeenCounts>(data).counts.size());
  }

  const Measurements& data_;
  AnyOperator<S, Device> op_;
  AnyOperator<S> hosted_;
};

class DevicePlace final : public Place {
 public:
  /// `free_memory` tells the bytes that are left.
  DevicePlace(std::string name, std::function<double()> free_memory)
      : name_(std::move(name)), free_memory_(std::move(free_memory)) {}

  std::string name() const override { return name_; }
  double multiply_add(Index rounds) const override { return device::multiply_add(rounds); }

  std::shared_ptr<const PlacedMeasurements<std::complex<float>>> single_precision(
      const StateMeasurements& data, Index columns) const override {
    return make<std::complex<float>>(data, columns);
  }
  std::shared_ptr<const PlacedMeasurements<std::complex<double>>> double_precision(
      const StateMeasurements& data, Index columns) const override {
    return make<std::complex<double>>(data, columns);
  }

  std::shared_ptr<const PlacedMatrices<float>> matrices(const MatrixOperator<float>& op,
                                                        Index columns) const override {
    return matrices_there(op, columns, name_, free_memory_());
  }
  std::shared_ptr<const PlacedMatrices<double>> matrices(const MatrixOperator<double>& op,
                                                         Index columns) const override {
    return matrices_there(op, columns, name_, free_memory_());
  }
  std::shared_ptr<const PlacedMatrices<std::complex<float>>> matrices(
      const MatrixOperator<std::complex<float>>& op, Index columns) const override {
    return matrices_there(op, columns, name_, free_memory_());
  }
  std::shared_ptr<const PlacedMatrices<std::complex<double>>> matrices(
      const MatrixOperator<std::complex<double>>& op, Index columns) const override {
    return matrices_there(op, columns, name_, free_memory_());
  }

  bool has_set(const std::string& name) const override {
    using S = std::complex<double>;
    ConstraintSpec set;
    set.name = name;
    set.radius = 1;
    return name == "support" || constraint_in<S, Device>(set, 1).has_value();
  }
  std::shared_ptr<const PlacedPatterns<std::complex<float>>> patterns(
      const BlockOperator<std::complex<float>>& op) const override {
    return patterns_there(op, name_, free_memory_());
  }
  std::shared_ptr<const PlacedPatterns<std::complex<double>>> patterns(
      const BlockOperator<std::complex<double>>& op) const override {
    return patterns_there(op, name_, free_memory_());
  }

 private:
  template <class S>
  std::shared_ptr<const PlacedMeasurements<S>> make(const StateMeasurements& data,
                                                    Index columns) const {
    const double need = DeviceMeasurements<S>::bytes(data.part, data.readout, columns),
                 left = free_memory_();
    if (need > left) {
      throw ResourceError(
          fmt::format("{}: these data of {} qubits with {} columns need {:.3g} MB of its memory, "
                      "but only {:.3g} MB are free; use --device cpu",
                      name_, qubits_of(data.part), columns, need / 1e6, left / 1e6));
    }
    return std::make_shared<DeviceMeasurements<S>>(data);
  }

  std::string name_;
  std::function<double()> free_memory_;
};

}  // namespace projfgd

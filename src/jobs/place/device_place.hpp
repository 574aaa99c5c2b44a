// The place that the kernels of projfgd/device make, whichever way they were compiled.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/device/hosted.hpp"
#include "projfgd/device/pauli.hpp"
#include "projfgd/jobs/place.hpp"

namespace projfgd {

class DevicePlace final : public Place {
 public:
  /// `free_memory` tells the bytes that are left.
  DevicePlace(std::string name, std::function<double()> free_memory)
      : name_(std::move(name)), free_memory_(std::move(free_memory)) {}

  std::string name() const override { return name_; }

  AnyOperator<std::complex<float>> pauli(int qubits, const std::vector<PauliString>& strings,
                                         float scale, Index columns) const override {
    return make<std::complex<float>>(qubits, strings, scale, columns);
  }
  AnyOperator<std::complex<double>> pauli(int qubits, const std::vector<PauliString>& strings,
                                          double scale, Index columns) const override {
    return make<std::complex<double>>(qubits, strings, scale, columns);
  }

 private:
  template <class S>
  AnyOperator<S> make(int qubits, const std::vector<PauliString>& strings, RealOf<S> scale,
                      Index columns) const {
    using Operator = DevicePauliOperator<S>;
    const double need = Operator::bytes(qubits, static_cast<double>(strings.size()), columns);
    const double left = free_memory_();
    if (need > left) {
      throw ResourceError(
          fmt::format("{}: {} Pauli strings of {} qubits with {} columns need {:.3g} MB of its "
                      "memory, but only {:.3g} MB are free; use --device cpu",
                      name_, strings.size(), qubits, columns, need / 1e6, left / 1e6));
    }
    return HostedOperator(Operator(qubits, strings, scale));
  }

  std::string name_;
  std::function<double()> free_memory_;
};

}  // namespace projfgd

// Where the products of a run are computed: by the processor, or by a device that was chosen here.
// Nothing below jobs knows of the choice, and of the jobs only those that ask for a place.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "projfgd/core/any.hpp"
#include "projfgd/operators/pauli_string.hpp"

namespace projfgd {

namespace device_name {
inline constexpr const char* automatic = "auto";
inline constexpr const char* cpu = "cpu";
inline constexpr const char* gpu = "gpu";
}  // namespace device_name

/// auto, cpu, gpu; another may be gpu:K.
std::vector<std::string> device_names();

/// Throws InputError unless it is such a name.
void require_device_name(const std::string& device);

/// A device that computes products, for operators of the host.
class Place {
 public:
  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  virtual ~Place() = default;

  virtual std::string name() const = 0;

  /// PauliOperator there. Throws ResourceError from an estimate when it does not fit with factors
  /// of so many columns.
  virtual AnyOperator<std::complex<float>> pauli(int qubits, const std::vector<PauliString>&,
                                                 float scale, Index columns) const = 0;
  virtual AnyOperator<std::complex<double>> pauli(int qubits, const std::vector<PauliString>&,
                                                  double scale, Index columns) const = 0;
};

/// The place that `device` names; null is the processor. `work` counts the multiplications of one
/// product, or is 0 where a device cannot compute it; `what` names the data for messages. Throws
/// InputError for what cannot be, ResourceError where a device should be and is not.
std::shared_ptr<const Place> find_place(const std::string& device, double work, const char* what);

/// What the program was built with besides what it always has, a line each.
std::vector<std::string> built_in();

}  // namespace projfgd

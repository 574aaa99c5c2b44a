// Where a run computes: on the processor, or on a device that is chosen here. Nothing below the
// jobs knows about the choice.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "projfgd/io/measurements.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/methods.hpp"

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

/// A problem whose factors and measurement vectors stay in another place while a solver runs.
template <class S>
class PlacedProblem {
 public:
  PlacedProblem() = default;
  PlacedProblem(const PlacedProblem&) = delete;
  PlacedProblem& operator=(const PlacedProblem&) = delete;
  virtual ~PlacedProblem() = default;

  /// Whether its operator and loss are still those of that problem.
  virtual bool is_of(const Problem<S>& problem) const = 0;
  /// Whether its set is.
  virtual bool has_set_of(const Problem<S>& problem) const = 0;

  /// The same data there with white noise in the state: `noisy` is this problem with a
  /// WhiteNoiseOperator in place of the operator and with that set, `white` are A(I/n).
  virtual std::shared_ptr<const PlacedProblem<S>> with_white_noise(
      const Problem<S>& noisy, const Vector<RealOf<S>>& white, const ConstraintSpec& set) const = 0;

  /// X_0 from that place; `op` counts the products.
  virtual Start<Matrix<S>> spectral_start(const typename MethodCall<S>::Operator& op, Index rank,
                                          double smoothness, const EigenOptions& options) const = 0;
  /// ProjFGD there, in the set or without one.
  virtual Result<Matrix<S>> run(MethodCall<S>& call, bool in_set) const = 0;
};

/// Measurements of a state in a place.
template <class S>
class PlacedMeasurements {
 public:
  PlacedMeasurements() = default;
  PlacedMeasurements(const PlacedMeasurements&) = delete;
  PlacedMeasurements& operator=(const PlacedMeasurements&) = delete;
  virtual ~PlacedMeasurements() = default;

  /// Products there with factors of the host.
  virtual AnyOperator<S> op() const = 0;
  /// `here` as a problem of that place, where the set is known there or not.
  virtual std::shared_ptr<const PlacedProblem<S>> problem(const Problem<S>& here,
                                                          const std::string& loss,
                                                          const ConstraintSpec& set) const = 0;
};

template <class S>
class BlockOperator;
/// Patterns in a place; of src/jobs/phase.
template <class S>
class PlacedPatterns;

/// The operator of a matrix problem, and such an operator in a place; of src/jobs/matrix.
template <class S>
struct MatrixOperator;
template <class S>
class PlacedMatrices;

/// Measurements, or the part of one process, all of them, and how their detectors err.
struct StateMeasurements {
  const Measurements& part;
  const Measurements& all;
  const Readout& readout;
};

/// A device.
class Place {
 public:
  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  virtual ~Place() = default;

  virtual std::string name() const = 0;

  /// Nothing but multiply-adds in double precision on all of it, so many one after the other; how
  /// many operations that were. For benchmarks.
  virtual double multiply_add(Index rounds) const = 0;

  /// Throws ResourceError from an estimate when the data do not fit with factors of so many
  /// columns.
  virtual std::shared_ptr<const PlacedMeasurements<std::complex<float>>> single_precision(
      const StateMeasurements& data, Index columns) const = 0;
  virtual std::shared_ptr<const PlacedMeasurements<std::complex<double>>> double_precision(
      const StateMeasurements& data, Index columns) const = 0;

  /// Of a matrix problem. Throws ResourceError as those do.
  virtual std::shared_ptr<const PlacedMatrices<float>> matrices(const MatrixOperator<float>& op,
                                                                Index columns) const = 0;
  virtual std::shared_ptr<const PlacedMatrices<double>> matrices(const MatrixOperator<double>& op,
                                                                 Index columns) const = 0;
  virtual std::shared_ptr<const PlacedMatrices<std::complex<float>>> matrices(
      const MatrixOperator<std::complex<float>>& op, Index columns) const = 0;
  virtual std::shared_ptr<const PlacedMatrices<std::complex<double>>> matrices(
      const MatrixOperator<std::complex<double>>& op, Index columns) const = 0;

  /// Whether images can be projected onto the set of that name there.
  virtual bool has_set(const std::string& name) const = 0;
  /// The patterns of such an operator of Fourier transforms, which must outlive them. Throws
  /// ResourceError from an estimate when a solve does not fit.
  virtual std::shared_ptr<const PlacedPatterns<std::complex<float>>> patterns(
      const BlockOperator<std::complex<float>>& op) const = 0;
  virtual std::shared_ptr<const PlacedPatterns<std::complex<double>>> patterns(
      const BlockOperator<std::complex<double>>& op) const = 0;
};

template <class S>
std::shared_ptr<const PlacedMeasurements<S>> placed(const Place& place,
                                                    const StateMeasurements& data, Index columns) {
  if constexpr (std::is_same_v<RealOf<S>, float>) {
    return place.single_precision(data, columns);
  } else {
    return place.double_precision(data, columns);
  }
}

/// Multiplications of a product on the processor.
double work_elsewhere(const Measurements& data, const Readout& readout, Index columns);

/// The place that `device` names; null is the processor. `work` counts the multiplications of one
/// product, or is 0 where a device cannot compute it; `what` names the data for messages. Throws
/// InputError for what cannot be, ResourceError where a device should be and is not. Of several
/// processes on a machine each takes the next device unless a number is given; `before` counts
/// those before this one.
std::shared_ptr<const Place> find_place(const std::string& device, double work, const char* what,
                                        int before = 0);

/// The optional parts that the program was built with, a line each.
std::vector<std::string> built_in();

}  // namespace projfgd

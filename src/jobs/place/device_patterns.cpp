// Phase retrieval with the images on a device: the text of every method, compiled for it.
#include "jobs/place/device_patterns.hpp"

#include <fmt/format.h>

#include <complex>
#include <stdexcept>

#include "jobs/phase/channel_run.hpp"
#include "jobs/phase/method_table.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/patterns.hpp"

namespace projfgd {
namespace {

/// Bytes that a solve takes beside its operator.
template <class S>
double solve_bytes(const BlockOperator<S>& op) {
  // Two readings of the data, each with intensities, amplitudes and what reflections remember of
  // them; predictions; A z and A d of full steps.
  constexpr double reals = 7, complexes = 4;
  // Iterates and quasi-Newton pairs of full steps, those of reflections and passes around them, and
  // start and image of every attempt, none of which takes less than ten sweeps.
  const double attempts =
      1 + static_cast<double>(search::all_transforms) / (20 * static_cast<double>(op.blocks()));
  const double factors = 12 + 2 * Options{}.memory + 20 + 2 * attempts;
  return static_cast<double>(op.measurements()) *
             (reals * sizeof(RealOf<S>) + complexes * sizeof(S)) +
         static_cast<double>(op.rows()) * sizeof(S) * factors;
}

template <class S>
class PatternsThere final : public PlacedPatterns<S> {
 public:
  explicit PatternsThere(DevicePatterns<S> patterns) : op_(std::move(patterns)) {}

  PhaseAnswer<Matrix<S>> solve_channel(const PhaseProblem<S>& problem, Index c,
                                       const RunSettings& settings,
                                       Stopwatch& clock) const override {
    return solve_channel_with(op_, problem, c, settings, clock);
  }

 private:
  DevicePatternsOperator<S> op_;
};

}  // namespace

template <class S>
std::shared_ptr<const PlacedPatterns<S>> patterns_there(const BlockOperator<S>& op,
                                                        const std::string& device, double left) {
  const auto* masks = dynamic_cast<const CodedDiffractionOperator<S>*>(&op);
  if (masks == nullptr) throw std::logic_error("measurement vectors do not run on a GPU");
  DevicePatterns<S> patterns(*masks);
  const double need = patterns.bytes() + solve_bytes(op);
  if (need > left) {
    throw ResourceError(fmt::format(
        "{}: these {} patterns of {} x {} pixels need {:.3g} MB of its memory, but only {:.3g} MB "
        "are free; use --device cpu",
        device, op.blocks(), masks->height(), masks->width(), need / 1e6, left / 1e6));
  }
  return std::make_shared<PatternsThere<S>>(std::move(patterns));
}

template std::shared_ptr<const PlacedPatterns<std::complex<float>>> patterns_there(
    const BlockOperator<std::complex<float>>&, const std::string&, double);
template std::shared_ptr<const PlacedPatterns<std::complex<double>>> patterns_there(
    const BlockOperator<std::complex<double>>&, const std::string&, double);

}  // namespace projfgd

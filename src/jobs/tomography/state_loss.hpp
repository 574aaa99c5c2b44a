// The losses of measurements of a state, in any place.
#pragma once

#include <algorithm>
#include <string>

#include "jobs/tomography/measured.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/jobs/tomography.hpp"
#include "projfgd/losses/background.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"

namespace projfgd::state_loss {

/// Numbers of the host in a place.
template <class R, class There>
auto numbers(const Vector<double>& here) {
  typename There::template Values<R> there;
  copy_from_host(Vector<R>(here.cast<R>()), there);
  return there;
}

/// The numbers of the settings, one for each of their outcomes.
inline Vector<double> for_outcomes(const Vector<double>& of_settings, int qubits) {
  const Index n = Index{1} << qubits;
  Vector<double> all(of_settings.size() * n);
  for (Index s = 0; s < of_settings.size(); ++s) {
    all.segment(s * n, n).setConstant(of_settings[s]);
  }
  return all;
}

/// 1 / variance of a frequency, from counts smoothed by half a count so that none is certain.
/// Mitigated counts may be negative or exceed the shots; no probability does.
inline Vector<double> inverse_variances(const Vector<double>& counts, const Vector<double>& shots) {
  Vector<double> w(counts.size());
  for (Index i = 0; i < w.size(); ++i) {
    const double p = (std::clamp(counts[i], 0.0, shots[i]) + 0.5) / (shots[i] + 1);
    w[i] = shots[i] / (p * (1 - p));
  }
  return w;
}

/// y and, for another loss than plain least squares, its weights.
template <class R, class There>
AnyLoss<R, There> squares(const Vector<double>& y, const Vector<double>* weights) {
  using V = typename There::template Values<R>;
  if (weights == nullptr) return LeastSquares<R, V>(numbers<R, There>(y));
  return WeightedLeastSquares<R, V>(numbers<R, There>(y), numbers<R, There>(*weights));
}

template <class R, class There>
AnyLoss<R, There> likelihood(const Vector<double>& counts, const Vector<double>& exposures) {
  using V = typename There::template Values<R>;
  return Poisson<R, V>(numbers<R, There>(counts), numbers<R, There>(exposures));
}

// The loss of that name, of the data of one process among all.

template <class R, class There>
AnyLoss<R, There> make(const std::string& name, const PauliData& data, const PauliData& all) {
  const double scale = scale_of(all);
  const Vector<double> y = scale * data.values;
  if (name == least_squares) return squares<R, There>(y, nullptr);
  const Vector<double> weights = (scale * data.errors).array().square().inverse();
  return squares<R, There>(y, &weights);
}

template <class R, class There>
AnyLoss<R, There> make(const std::string& name, const CountsData& data, const CountsData& /*all*/) {
  const Vector<double> shots = for_outcomes(data.shots, data.qubits);
  if (name == poisson) return likelihood<R, There>(data.counts, shots);
  const Vector<double> frequencies = data.counts.cwiseQuotient(shots);
  if (name == least_squares) return squares<R, There>(frequencies, nullptr);
  const Vector<double> weights = inverse_variances(data.counts, shots);
  return squares<R, There>(frequencies, &weights);
}

template <class R, class There>
AnyLoss<R, There> make(const std::string& name, const SeenCounts& data, const SeenCounts& /*all*/) {
  Vector<double> shots(data.counts.size());
  for (Index s = 0; s < data.shots.size(); ++s) {
    shots.segment(data.seen.begin(s), data.seen.count(s) + 1).setConstant(data.shots[s]);
  }
  if (name == poisson) return likelihood<R, There>(data.counts, shots);
  return squares<R, There>(data.counts.cwiseQuotient(shots), nullptr);
}

/// In the unit of intensity that makes the answer a state, all but for a factor near 1.
template <class R, class There>
AnyLoss<R, There> make(const std::string& /*poisson*/, const ProjectorData& data,
                       const ProjectorData& all) {
  const Vector<double> exposures = unit_intensity(all) * data.exposures;
  using V = typename There::template Values<R>;
  Poisson<R, V> loss(numbers<R, There>(data.counts), numbers<R, There>(exposures));
  if (all.accidentals.maxCoeff() == 0) return loss;
  const Vector<double> background = data.accidentals.cwiseQuotient(exposures);
  return WithBackground(std::move(loss), numbers<R, There>(background));
}

}  // namespace projfgd::state_loss

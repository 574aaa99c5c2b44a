#include "jobs/phase/fit.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "jobs/phase/errors.hpp"
#include "projfgd/measures/image.hpp"

namespace projfgd {
namespace {

/// One channel, its amplitudes divided by their size so that squares do not overflow.
template <class S>
PhaseFit fit_of_channel(const PhaseProblem<S>& problem, const Eigen::Ref<const Vector<double>>& y,
                        const Matrix<S>& z, double photon) {
  const PhaseData& data = problem.data;
  const Index m = y.size(), known = m - data.count_left_out();
  const Index each = selection_step(known * data.channels);
  const double unit = std::sqrt(y.mean());
  const Vector<double> measured = y.cwiseSqrt() / unit;
  PhaseFit fit;
  Vector<RealOf<S>> moduli;
  fit.objective = amplitude_objective(*problem.op, Vector<RealOf<S>>(measured.cast<RealOf<S>>()),
                                      Matrix<S>(z / static_cast<RealOf<S>>(unit)), moduli);
  const Vector<double> predicted = moduli.template cast<double>();
  fit.misfit = amplitude_misfit(fit.objective, measured);
  fit.objective *= unit * unit;
  for (Index i = 0, seen = 0; i < m; ++i) {
    if (data.is_left_out(i) || seen++ % each != 0) continue;
    fit.shown.measured.push_back(measured[i] * unit);
    fit.shown.predicted.push_back(predicted[i] * unit);
  }
  if (photon > 0) fit.counted = y.sum() / photon;
  fit.noise = {test_noise(Vector<double>(measured.cwiseAbs2()),
                          Vector<double>(predicted.cwiseAbs2()), fitted_numbers(z),
                          photon / (unit * unit), !data.open)};
  fit.amplitudes = fit.misfit > doubtful_phase_misfit && seem_amplitudes(y, known);
  fit.blind = blind_pixels(data, measured, predicted);
  if (data.patterns > 1) {
    fit.patterns = pattern_misfits(measured, predicted, data.patterns);
    fit.exposures = differing_exposures(measured, predicted, data.patterns);
  }
  return fit;
}

/// Takes one channel more into the fit of all.
void add(PhaseFit channel, PhaseFit& all) {
  all.misfits.back() = channel.misfit;
  if (channel.misfit >= all.misfit || std::isnan(channel.misfit)) {
    all.misfit = channel.misfit;
    all.patterns = std::move(channel.patterns);
    all.exposures = std::move(channel.exposures);
  }
  all.noise.back() = channel.noise.front();
  all.blind = std::max(all.blind, channel.blind);
  all.objective += channel.objective;
  all.amplitudes = all.amplitudes || channel.amplitudes;
  all.counted = all.counted > 0 ? std::min(all.counted, channel.counted) : channel.counted;
  std::ranges::copy(channel.shown.predicted, std::back_inserter(all.shown.predicted));
  std::ranges::copy(channel.shown.measured, std::back_inserter(all.shown.measured));
}

}  // namespace

template <class S>
PhaseFit fit_of(const PhaseProblem<S>& problem, const Matrix<S>& found) {
  const PhaseData& data = problem.data;
  const Index m = problem.op->measurements();
  const double photon = problem.photon;
  PhaseFit fit;
  fit.background = has_background(data.intensities);
  fit.shown.quantity = "amplitude";
  fit.shown.all = static_cast<std::size_t>(problem.op->measured() * data.channels);
  for (Index c = 0; c < data.channels; ++c) {
    const Eigen::Map<const Vector<double>> y(data.intensities.data() + c * m, m);
    fit.misfits.push_back(0);
    fit.noise.emplace_back();
    if (y.maxCoeff() == 0) continue;  // a dark channel
    add(fit_of_channel<S>(problem, y, found.col(c), photon), fit);
  }
  return fit;
}

template PhaseFit fit_of(const PhaseProblem<std::complex<float>>&,
                         const Matrix<std::complex<float>>&);
template PhaseFit fit_of(const PhaseProblem<std::complex<double>>&,
                         const Matrix<std::complex<double>>&);

}  // namespace projfgd

#include "jobs/phase/fit.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "jobs/phase/errors.hpp"
#include "projfgd/measures/image.hpp"

namespace projfgd {
namespace {

std::vector<double> divided_squares(const std::vector<double>& amplitudes, double unit) {
  std::vector<double> squares;
  squares.reserve(amplitudes.size());
  for (const double a : amplitudes) squares.push_back(a * a / unit);
  return squares;
}

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
  fit.growth = growth_of_errors(fit.shown.measured, fit.shown.predicted);
  const Index numbers = (z.array().real() != 0).count() + (z.array().imag() != 0).count();
  if (photon > 0) fit.counted = y.sum() / photon;
  if (photon > 0 && photons_explain(divided_squares(fit.shown.measured, photon),
                                    divided_squares(fit.shown.predicted, photon),
                                    static_cast<double>(numbers) / static_cast<double>(known))) {
    fit.photons = fit.counted;
  }
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
  // Of a channel that leaves little it is that of rounding.
  const bool leaves_much = !(channel.misfit <= doubtful_phase_misfit);
  if (leaves_much && !(channel.growth <= all.growth)) all.growth = channel.growth;
  all.blind = std::max(all.blind, channel.blind);
  all.objective += channel.objective;
  all.amplitudes = all.amplitudes || channel.amplitudes;
  all.counted = all.counted > 0 ? std::min(all.counted, channel.counted) : channel.counted;
  all.photons = std::min(all.photons, channel.photons);
  std::ranges::copy(channel.shown.predicted, std::back_inserter(all.shown.predicted));
  std::ranges::copy(channel.shown.measured, std::back_inserter(all.shown.measured));
}

}  // namespace

template <class S>
PhaseFit fit_of(const PhaseProblem<S>& problem, const Matrix<S>& found) {
  const PhaseData& data = problem.data;
  const Index m = problem.op->measurements();
  const double photon = photon_unit(data.intensities);
  PhaseFit fit{.photons = std::numeric_limits<double>::infinity()};
  fit.shown.quantity = "amplitude";
  fit.shown.all = static_cast<std::size_t>(problem.op->measured() * data.channels);
  for (Index c = 0; c < data.channels; ++c) {
    const Eigen::Map<const Vector<double>> y(data.intensities.data() + c * m, m);
    fit.misfits.push_back(0);
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

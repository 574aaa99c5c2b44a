#include "jobs/tomography/noise_gain.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

#include "jobs/tomography/bootstrap.hpp"
#include "jobs/tomography/white_part.hpp"

namespace projfgd {
namespace {

constexpr int simulations = 4;  // their mean is known to half a deviation

}  // namespace

template <class S>
double gain_of_noise(const TomographyData& data, const StateModel<S>& model,
                     const WiderModel<S>& wider, StagedRun<S>& run) {
  const LengthOfNoise& alike = wider.alike;
  const double bound = gain_in_few_cases(alike);
  const double least = gain_in_few_cases({});
  if (wider.gain >= bound || wider.gain <= least) return bound;
  const Stopwatch watch;
  RunSettings inner = run.settings();
  inner.journal = nullptr;
  inner.progress = {};
  Vector<RealOf<S>> p;
  run.problem().op.forward(wider.smaller, p);
  const Vector<double> predicted =
      p.template cast<double>() / std::pow(static_cast<double>(norm(wider.smaller)), 2);
  ModelChoice choice = data.choice;
  choice.set = model.facts.set;
  choice.loss = model.facts.loss;
  const StopRule rough = stop_when_rough(model.problem.op.rows());
  double sum = 0;
  for (int k = 0; k < simulations; ++k) {
    inner.options = remaining(options_of(run.settings()), run.result().iterations,
                              run.result().seconds + watch.seconds());
    inner.options.keep_trace = false;
    const Problem<S> noise = problem_with_white_noise(make_model<S>(
        redrawn(data.measured, predicted, inner.options.seed, static_cast<std::uint64_t>(k)),
        choice, inner));
    StagedRun<S> again(noise, inner);
    const Result<Matrix<S>> fit = again.from(wider.smaller, rough);
    noise.op.forward(wider.widen(again, fit.factor), p);
    sum += std::sqrt(2 * std::max(fit.objective - noise.loss.value(p), 0.0));
  }
  run.spend(watch.seconds());
  return std::min(gain_in_few_cases({sum / simulations}), bound);
}

#define PROJFGD_INSTANTIATE(S)                                                                     \
  template double gain_of_noise(const TomographyData&, const StateModel<S>&, const WiderModel<S>&, \
                                StagedRun<S>&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

#include "jobs/tomography/wrong_count.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "jobs/tomography/bootstrap.hpp"
#include "jobs/tomography/measured.hpp"
#include "projfgd/core/threads.hpp"

namespace projfgd {
namespace {

/// What is left out of the data together, and what the counts in it show.
struct Suspect {
  Index place = 0;      ///< of the count
  double expected = 0;  ///< by the others
  double gain = 0;      ///< nats
};

Vector<double> without(const Vector<double>& all, Index first, Index count) {
  Vector<double> rest(all.size() - count);
  rest << all.head(first), all.tail(rest.size() - first);
  return rest;
}

template <class T>
std::vector<T> without(std::vector<T> all, Index first, Index count) {
  all.erase(all.begin() + first, all.begin() + first + count);
  return all;
}

/// Counts that are left out together begin at multiples of this.
Index size_of_part(const ProjectorData&) { return 1; }
Index size_of_part(const CountsData& data) { return Index{1} << data.qubits; }

ProjectorData rest_of(ProjectorData data, Index part) {
  data.projectors = without(std::move(data.projectors), part, 1);
  data.labels = without(std::move(data.labels), part, 1);
  data.counts = without(data.counts, part, 1);
  data.exposures = without(data.exposures, part, 1);
  data.accidentals = without(data.accidentals, part, 1);
  return data;
}

CountsData rest_of(CountsData data, Index part) {
  const Index outcomes = size_of_part(data);
  data.settings = without(std::move(data.settings), part, 1);
  data.labels = without(std::move(data.labels), part * outcomes, outcomes);
  data.counts = without(data.counts, part * outcomes, outcomes);
  data.shots = without(data.shots, part, 1);
  return data;
}

/// p are the probabilities of all counts by the fit to the others, and `gain` is what it gained.
Suspect suspect_in(const ProjectorData& data, Index i, const Vector<double>& p, double gain) {
  const double intensity = likeliest_intensity(counts_of(rest_of(data, i)), without(p, i, 1));
  return {i, intensity * data.exposures[i] * p[i] + data.accidentals[i], gain};
}

Suspect suspect_in(const CountsData& data, Index s, const Vector<double>& p, double gain) {
  const Index outcomes = size_of_part(data), first = s * outcomes;
  const Vector<double> share =
      p.segment(first, outcomes).cwiseMax(0) / p.segment(first, outcomes).cwiseMax(0).sum();
  Suspect worst;
  for (Index i = 0; i < outcomes; ++i) {
    const double others = data.shots[s] - data.counts[first + i], rest = 1 - share[i];
    if (!(others > 0) || !(rest > 0)) continue;
    double cost = 0;
    for (Index j = 0; j < outcomes; ++j) {
      const double count = data.counts[first + j];
      if (j != i && count > 0) cost += count * std::log(count * rest / (others * share[j]));
    }
    if (gain - cost > worst.gain) worst = {first + i, others * share[i] / rest, gain - cost};
  }
  return worst;
}

template <class S, class Data>
std::optional<WrongCount> find_in(const Data& counts, const TomographyData& data,
                                  const StateModel<S>& model, const FittedModelView<S>& fitted,
                                  const GoodnessTest& test, double f, const RunSettings& settings) {
  const Index all = counts.counts.size(), parts = all / size_of_part(counts);
  if (counts.labels.empty() || counts.qubits > most_qubits_of_single_counts || parts < 2) return {};
  const RunSettings inner = quiet(settings);
  std::vector<Suspect> suspects(static_cast<std::size_t>(parts));
  set_threads(settings.threads);
  parallel_for(parts, [&](Index k) {
    const Result<Matrix<S>> rest = refit<S>(rest_of(counts, k), data.choice, model, fitted, inner);
    Vector<RealOf<S>> p;
    AnyOperator<S>(fitted.op).forward(rest.factor, p);
    suspects[static_cast<std::size_t>(k)] =
        suspect_in(counts, k, p.template cast<double>(), f - rest.objective);
  });
  set_threads(settings.threads);
  const auto worst = std::ranges::max_element(suspects, {}, &Suspect::gain);
  const double deviations = std::sqrt(2 * std::max(worst->gain, 0.0));
  if (!(static_cast<double>(all) * std::erfc(deviations / std::numbers::sqrt2) < contradiction)) {
    return {};
  }
  GoodnessTest rest = test;
  rest.good.chi_square = 2 * (f - worst->gain);  // as the deviance is, all but
  rest.freedom -= 1;
  const auto place = static_cast<std::size_t>(worst->place);
  return WrongCount{counts.labels[place], counts.counts[worst->place], worst->expected, deviations,
                    rest.freedom <= 0 || rest.fits()};
}

template <class S>
std::optional<WrongCount> find_in(const PauliData&, const TomographyData&, const StateModel<S>&,
                                  const FittedModelView<S>&, const GoodnessTest&, double,
                                  const RunSettings&) {
  return {};
}
template <class S>
std::optional<WrongCount> find_in(const SeenCounts&, const TomographyData&, const StateModel<S>&,
                                  const FittedModelView<S>&, const GoodnessTest&, double,
                                  const RunSettings&) {
  return {};
}

}  // namespace

template <class S>
std::optional<WrongCount> find_wrong_count(const TomographyData& data, const StateModel<S>& model,
                                           const FittedModelView<S>& fitted,
                                           const GoodnessTest& test, double f,
                                           const RunSettings& settings) {
  return std::visit(
      [&](const auto& counts) {
        return find_in<S>(counts, data, model, fitted, test, f, settings);
      },
      data.measured);
}

#define PROJFGD_INSTANTIATE(S)                                                                     \
  template std::optional<WrongCount> find_wrong_count(                                             \
      const TomographyData&, const StateModel<S>&, const FittedModelView<S>&, const GoodnessTest&, \
      double, const RunSettings&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

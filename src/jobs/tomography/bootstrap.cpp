#include "jobs/tomography/bootstrap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "jobs/common/noise.hpp"
#include "jobs/common/poisson_number.hpp"
#include "jobs/tomography/measured.hpp"
#include "jobs/tomography/random_experiment.hpp"
#include "jobs/tomography/shown_strings.hpp"
#include "jobs/tomography/white_part.hpp"
#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/io/text.hpp"
#include "projfgd/operators/split.hpp"

namespace projfgd {
namespace {

constexpr int usual_refits = 200;  // the ends of 95% intervals are then known to a tenth of a width
constexpr int most_refits = 100000;
constexpr std::size_t least_refits = 20;  // fewer tell no standard deviation worth showing

PauliData redrawn_data(PauliData data, const Vector<double>& predictions,
                       const RandomStream& random) {
  data.values = predictions / scale_of(data);
  for (Index i = 0; i < data.values.size(); ++i) {
    data.values[i] += data.errors[i] * random.normal(static_cast<std::uint64_t>(i));
  }
  return data;
}

CountsData redrawn_data(CountsData data, const Vector<double>& predictions,
                        const RandomStream& random) {
  const Index outcomes = Index{1} << data.qubits;
  std::uint64_t first = 0;
  data.counts.setZero();
  for (Index s = 0; s < data.shots.size(); ++s) {
    const Vector<double> p = predictions.segment(s * outcomes, outcomes).cwiseMax(0);
    const auto shots = static_cast<std::int64_t>(std::llround(data.shots[s]));
    for (const auto& [outcome, count] : draw_outcomes(p, shots, random, first)) {
      data.counts[s * outcomes + outcome] = static_cast<double>(count);
    }
    first += static_cast<std::uint64_t>(shots);
  }
  return data;
}

ProjectorData redrawn_data(ProjectorData data, const Vector<double>& predictions,
                           const RandomStream& random) {
  const double intensity = likeliest_intensity(counts_of(data), predictions);
  const Vector<double> means =
      intensity * data.exposures.cwiseProduct(predictions.cwiseMax(0.0)) + data.accidentals;
  for (Index i = 0; i < means.size(); ++i) {
    data.counts[i] = poisson_number(means[i], random, static_cast<std::uint64_t>(i));
  }
  return data;
}

SeenCounts redrawn_data(const SeenCounts&, const Vector<double>&, const RandomStream&) {
  throw InputError(
      fmt::format("--errors: found counts of more than {} qubits, expected auto or none for them",
                  most_qubits_kept_whole));
}

template <class S>
StateFactor state_of(const Matrix<S>& factor, Index n) {
  const Matrix<S> state = factor.rows() > n ? with_white_part<S>(Matrix<S>(factor.topRows(n)),
                                                                 factor.row(n).squaredNorm())
                                            : factor;
  return normalised(state.template cast<std::complex<double>>());
}

/// Gives what each rank has found of a list to all others: rank k those from first[k] to
/// first[k + 1].
void exchange(const Ranks& ranks, const std::vector<Index>& first,
              std::vector<StateFactor>& states) {
  const auto own = static_cast<std::size_t>(ranks.rank());
  std::string mine;
  Archive write([&](std::string_view bytes) { mine.append(bytes); });
  for (Index k = first[own]; k < first[own + 1]; ++k) write(states[static_cast<std::size_t>(k)]);
  std::vector<std::size_t> sizes(first.size() - 1);
  const std::size_t size = mine.size();
  ranks.gather(&size, std::vector<std::size_t>(sizes.size(), sizeof size), sizes.data());
  std::string all(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), '\0');
  ranks.gather(mine.data(), sizes, all.data());
  Archive read(all, "refits");
  for (StateFactor& state : states) read(state);
}

}  // namespace

RunSettings quiet(const RunSettings& settings) {
  RunSettings inner = settings;
  inner.journal = nullptr;  // which is for one thread; whole batches are kept
  inner.progress = {};
  inner.interrupt = {};
  inner.options.time_limit = std::numeric_limits<double>::infinity();
  inner.init = start_name::spectral;
  inner.threads = 1;
  inner.ranks = &alone();
  return inner;
}

template <class S>
Result<Matrix<S>> refit(const Measurements& measured, const ModelChoice& asked,
                        const StateModel<S>& model, const FittedModelView<S>& fitted,
                        const RunSettings& settings) {
  ModelChoice choice = asked;
  choice.set = model.facts.set;
  choice.loss = model.facts.loss;
  const Index n = model.problem.op.rows(), columns = fitted.factor.cols();
  RunSettings with_columns = settings;
  with_columns.rank = columns;
  const StateModel<S> again = make_model<S>(measured, choice, with_columns);
  const bool noisy = fitted.factor.rows() > n;
  Problem<S> problem = noisy ? problem_with_white_noise(again) : again.problem;
  problem.rank = columns;
  Matrix<S> start = fitted.factor;
  if (columns == n)
    start.topRows(n) = with_white_part<S>(Matrix<S>(start.topRows(n)), white_at_start);
  StagedRun<S> run(problem, with_columns);
  return run.from(std::move(start),
                  stop_under_noise(with_columns, problem, again.facts.noise, columns));
}

int bootstrap_refits(const std::string& errors) {
  if (errors == errors_option::automatic || errors == errors_option::none) return 0;
  if (errors == errors_option::bootstrap) return usual_refits;
  const std::string prefix = std::string(errors_option::bootstrap) + ":";
  const double count =
      errors.starts_with(prefix) ? parse_number(errors.substr(prefix.size())) : std::nan("");
  if (count >= static_cast<double>(least_refits) && count <= most_refits &&
      count == std::floor(count)) {
    return static_cast<int>(count);
  }
  throw InputError(unknown_name(
      "--errors", errors, {errors_option::automatic, errors_option::none, errors_option::bootstrap},
      fmt::format("bootstrap:N with N from {} to {}", least_refits, most_refits)));
}

Measurements redrawn(const Measurements& measured, const Vector<double>& predictions,
                     std::uint64_t seed, std::uint64_t number) {
  const RandomStream random(RandomStream(seed, bootstrap_stream).bits(number), bootstrap_stream);
  return std::visit(
      [&](const auto& data) { return Measurements(redrawn_data(data, predictions, random)); },
      measured);
}

template <class S>
std::vector<StateFactor> refitted_states(const TomographyData& data, const StateModel<S>& model,
                                         const FittedModelView<S>& fitted,
                                         const Vector<double>& predictions,
                                         const RunSettings& settings, TraceRow spent, int refits) {
  if (!noise_is_known(data.measured)) {
    throw InputError(
        "--errors: found bootstrap, expected data whose noise is known: give the shots of a "
        "setting (--shots) or standard errors");
  }
  const Stopwatch watch;
  const RunSettings inner = quiet(settings);
  const double before = spent.seconds;
  std::vector<StateFactor> states;
  // A batch at a time, so that progress and the interrupt stay with the thread that began the run.
  set_threads(settings.threads);
  const Ranks& ranks = *settings.ranks;
  Index batch = 4 * threads() * ranks.size();
  ranks.broadcast(&batch, sizeof batch);
  JournalLoop batches(settings.journal, "refits");
  while (static_cast<Index>(states.size()) < refits) {
    batches.keep(states);
    const auto first = static_cast<Index>(states.size());
    if (!may_go_on(options_of(settings), before + watch.seconds())) break;
    set_threads(settings.threads);  // a refit on this thread has asked for one
    std::vector<StateFactor> found(static_cast<std::size_t>(std::min(batch, refits - first)));
    const std::vector<Index> shares = equal_parts(ranks, static_cast<Index>(found.size())).first;
    const auto own = static_cast<std::size_t>(ranks.rank());
    parallel_for(shares[own + 1] - shares[own], [&](Index j) {
      const Index k = shares[own] + j;
      const Measurements drawn = redrawn(data.measured, predictions, inner.options.seed,
                                         static_cast<std::uint64_t>(first + k));
      found[static_cast<std::size_t>(k)] =
          state_of(refit(drawn, data.choice, model, fitted, inner).factor, model.problem.op.rows());
    });
    if (!ranks.is_alone()) exchange(ranks, shares, found);
    std::ranges::move(found, std::back_inserter(states));
    spent.iteration += static_cast<Index>(found.size());
    spent.seconds = before + watch.seconds();
    if (settings.progress) settings.progress(spent);
  }
  set_threads(settings.threads);
  return states;
}

void use_refits(const std::vector<StateFactor>& refits, const StateFactor& state,
                const StateQuestions& questions, StateTrust& trust) {
  trust.fidelity = trust.purity = trust.entropy = std::nullopt;
  trust.eigenvalues.clear();
  trust.expectations.assign(questions.paulis.size(), std::nullopt);
  trust.negativities.clear();
  trust.strings.clear();
  trust.refits = static_cast<int>(refits.size());
  if (refits.size() < least_refits) return;
  std::vector<StateDescription> all;
  for (const StateFactor& refit : refits) {
    all.push_back(describe(refit, eigenvalues(refit), questions));
  }
  const StateDescription answer = describe(state, eigenvalues(state), questions);
  const auto interval_of = [&](const std::vector<double>& values, double value, double low,
                               double high) {
    const Interval refitted = widened(refitted_interval(values, value), trust.widened);
    const Interval found = clipped(refitted, low, high);
    return QuantityInterval{including(found, value), interval_name::bootstrap};
  };
  const auto interval = [&](const auto& quantity, double low, double high) {
    std::vector<double> values;
    for (const StateDescription& one : all) values.push_back(quantity(one));
    return interval_of(values, quantity(answer), low, high);
  };
  const auto n = static_cast<double>(state.rows());
  if (answer.target) {
    trust.fidelity = interval([](const StateDescription& d) { return d.target->fidelity; }, 0, 1);
  }
  trust.purity = interval([](const StateDescription& d) { return d.purity; }, 1 / n, 1);
  trust.entropy = interval([](const StateDescription& d) { return d.entropy; }, 0, std::log2(n));
  for (Index k = 0; k < answer.eigenvalues.size(); ++k) {
    const auto value = [k](const StateDescription& d) {
      return k < d.eigenvalues.size() ? d.eigenvalues[k] : 0.0;
    };
    trust.eigenvalues.push_back(interval(value, 0, 1));
  }
  for (Index k = 0; k < answer.expectations.size(); ++k) {
    trust.expectations[static_cast<std::size_t>(k)] =
        interval([k](const StateDescription& d) { return d.expectations[k]; }, -1, 1);
  }
  for (Index k = 0; k < answer.negativities.size(); ++k) {
    trust.negativities.emplace_back(
        interval([k](const StateDescription& d) { return d.negativities[k]; }, 0, 0.5));
  }
  for (const PauliString& string : shown_strings(state)) {
    std::vector<double> values;
    for (const StateFactor& refit : refits) values.push_back(expectation(string, refit));
    trust.strings.emplace_back(interval_of(values, expectation(string, state), -1, 1));
  }
}

#define PROJFGD_INSTANTIATE(S)                                                                    \
  template Result<Matrix<S>> refit(const Measurements&, const ModelChoice&, const StateModel<S>&, \
                                   const FittedModelView<S>&, const RunSettings&);                \
  template std::vector<StateFactor> refitted_states(                                              \
      const TomographyData&, const StateModel<S>&, const FittedModelView<S>&,                     \
      const Vector<double>&, const RunSettings&, TraceRow, int);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

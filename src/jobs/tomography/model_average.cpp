#include "jobs/tomography/model_average.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "jobs/tomography/white_part.hpp"
#include "projfgd/operators/white_noise.hpp"

namespace projfgd {
namespace {

std::string name_of(const StateModelKind& kind, Index n) {
  if (kind.rank == n) return "full rank";
  return fmt::format("rank {}{}", kind.rank, kind.white ? " with white noise" : "");
}

/// Why this state, in a sentence.
template <class S>
std::string reason_for(const std::vector<Candidate<S>>& candidates,
                       const std::vector<double>& weights, const Candidate<S>& chosen, Index n) {
  const std::string name = name_of(chosen.kind, n);
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    constexpr double worth_a_word = 0.01;
    if (weights[k] < worth_a_word) continue;
    parts.push_back(fmt::format("{} ({:.1f}%)", name_of(candidates[k].kind, n), 100 * weights[k]));
  }
  constexpr double nearly_all = 0.95;  // of the weight
  const double largest = *std::ranges::max_element(weights);
  const bool several = std::ranges::count_if(weights, [](double w) { return w > 0; }) > 1;
  if (several && largest >= nearly_all) {
    return fmt::format(
        "{}: the most plausible of the models compared, with a probability of {:.1f}%", name,
        100 * largest);
  }
  if (parts.size() > 1) {
    return fmt::format("the data do not single out one model, so the state is the average of {}",
                       fmt::join(parts, ", "));
  }
  if (chosen.kind.rank == n) return fmt::format("{}: no smaller rank is as plausible", name);
  const auto larger = std::ranges::find_if(
      candidates, [&](const Candidate<S>& c) { return c.kind.rank == chosen.kind.rank + 1; });
  if (larger == candidates.end()) {
    return fmt::format("{}: a larger rank does not improve the fit", name);
  }
  return fmt::format(
      "{}: one more component would improve the log-likelihood by {:.3g}, less than the {:.3g} "
      "that would make it as plausible",
      name, std::max(chosen.fit.objective - larger->fit.objective, 0.0),
      larger->penalty - chosen.penalty);
}

}  // namespace

template <class S>
const Candidate<S>& best_of(const std::vector<Candidate<S>>& candidates) {
  return *std::ranges::max_element(candidates, {}, &Candidate<S>::score);
}

template <class S>
const Candidate<S>& likeliest_of(const std::vector<Candidate<S>>& candidates) {
  return *std::ranges::min_element(candidates, {},
                                   [](const Candidate<S>& c) { return c.fit.objective; });
}

template <class S>
ChosenState<S> average_of(const std::vector<Candidate<S>>& candidates, StagedRun<S>&& run,
                          bool finished) {
  using Real = RealOf<S>;
  const AnyOperator<S>& op = run.problem().op;
  const Index n = op.rows() - 1;
  std::vector<double> scores;
  for (const Candidate<S>& c : candidates) scores.push_back(c.score());
  const std::vector<double> weights = model_weights(scores);
  const Candidate<S>& chosen = best_of(candidates);
  ChosenState<S> out{.op = op, .fitted = chosen.fit.factor};
  RootMean<S> mean(n);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (weights[k] == 0) continue;
    const auto& [rank, white] = candidates[k].kind;
    const Matrix<S>& v = candidates[k].fit.factor;
    if (const Matrix<S>& expected = candidates[k].expected; expected.size() > 0) {
      mean.add(weights[k], expected, 0);
    } else {
      mean.add(weights[k], low_rank_part(v), white_weight(v));
    }
    out.parameters += weights[k] * (parameters(n, rank) - (white ? 0 : 1));
  }
  const Matrix<S> low = mean.factor();
  const double trace = std::pow(static_cast<double>(norm(low)), 2) + mean.white();
  // A mean of roots is shorter than the roots are. What is asked of the trace is that of the fits.
  const double longer = std::pow(static_cast<double>(norm(out.fitted)), 2) / trace;
  Matrix<S> v(n + 1, low.cols());
  v.topRows(n) = static_cast<Real>(std::sqrt(longer)) * low;
  v.row(n).setConstant(
      static_cast<Real>(std::sqrt(longer * mean.white() / static_cast<double>(low.cols()))));
  Vector<Real> p;
  op.forward(v, p);
  out.predictions = p.template cast<double>();
  run.take(chosen.fit);
  out.answer = std::move(run).answer();
  out.answer.result.factor = with_white_part<S>(low_rank_part(v), white_weight(v));
  out.white_noise = mean.white() / trace;
  out.rank = chosen.kind.rank;
  out.reason = finished
                   ? reason_for(candidates, weights, chosen, n)
                   : fmt::format("{}: stopped before the search finished", name_of(chosen.kind, n));
  return out;
}

#define PROJFGD_INSTANTIATE(S)                                                 \
  template const Candidate<S>& best_of(const std::vector<Candidate<S>>&);      \
  template const Candidate<S>& likeliest_of(const std::vector<Candidate<S>>&); \
  template ChosenState<S> average_of(const std::vector<Candidate<S>>&, StagedRun<S>&&, bool);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

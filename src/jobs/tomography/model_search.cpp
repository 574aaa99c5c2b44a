#include "jobs/tomography/model_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "jobs/common/escape.hpp"
#include "jobs/tomography/bootstrap.hpp"
#include "jobs/tomography/hedged.hpp"
#include "jobs/tomography/mean_curvature.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/model_choice.hpp"
#include "projfgd/measures/optimality.hpp"
#include "projfgd/operators/white_noise.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "projfgd/starts/random.hpp"

namespace projfgd {
namespace {

constexpr Index most_rows = 1024;             // 10 qubits: white noise needs an n x n factor
constexpr Index most_rows_at_full_rank = 64;  // 6 qubits: the full rank takes seconds
constexpr int simulations_of_noise = 4;       // their mean is known to half a deviation
constexpr Index most_ranks = 64;
constexpr double first_share = 0.1;        // of white noise, where a fit of it starts
constexpr double hedged_tolerance = 1e-5;  // on the relative change of X
constexpr double least_white_gain = 0.01;  // nats, far below what noise gains

/// One model that was fitted, as a factor of n + 1 rows.
template <class S>
struct Candidate {
  StateModelKind kind;
  Result<Matrix<S>> fit;
  double penalty = 0;  ///< nats

  double score() const { return -fit.objective - penalty; }
};

std::string name_of(const StateModelKind& kind, Index n) {
  if (kind.rank == n) return "full rank";
  return fmt::format("rank {}{}", kind.rank, kind.white ? " with white noise" : "");
}

template <class S>
class ModelSearch {
 public:
  ModelSearch(const TomographyData& data, const StateModel<S>& model, const RunSettings& settings)
      : data_(data),
        model_(model),
        noise_(model.facts.noise),
        n_(model.problem.op.rows()),
        shots_(model.facts.shots_per_setting),
        noisy_(problem_with_white_noise(model)),
        run_(noisy_, settings) {}

  ChosenState<S> search() {
    grow();
    if (converged_) refit_from(widest_);
    if (converged_ && n_ <= most_rows_at_full_rank && full_rank_may_compete()) add_full_rank();
    return average();
  }

 private:
  using Real = RealOf<S>;

  /// Adds the fit to the candidates; false where a limit or the user ended it.
  bool add(StateModelKind kind, Result<Matrix<S>> fit, double penalty) {
    converged_ = fit.status == Status::converged;
    candidates_.push_back({kind, std::move(fit), penalty});
    best_ = std::max(best_, candidates_.back().score());
    return converged_;
  }

  bool may_matter(double score) const { return score > best_ + std::log(negligible_weight); }

  StopRule to_the_end(Index rank) const {
    return stop_under_noise(run_.settings(), noisy_, noise_, rank);
  }

  /// One rank after the other with white noise, and without it: to the end where that may matter,
  /// roughly where it only tells what the noise gains.
  void grow() {
    Result<Matrix<S>> fit = run_.from(with_white_noise(start(), first_share), to_the_end(1));
    double before = -std::numeric_limits<double>::infinity(), price = 0;
    for (Index rank = 1;; ++rank) {
      const Matrix<S> factor = fit.factor;
      if (fit.status != Status::converged) {
        add({rank, true}, std::move(fit), price);
        return;
      }
      // Without white noise no fit of this rank is more likely.
      const bool plain_matters = may_matter(-fit.objective - price);
      Result<Matrix<S>> plain =
          without_noise(factor, plain_matters ? to_the_end(rank) : stop_when_rough(n_));
      const double gain = plain.objective - fit.objective;
      // White noise that improves a fit by nothing is none: the model without it stands for both.
      const bool idle = gain < least_white_gain;
      const bool plain_ended = plain.status != Status::converged;
      double score = -plain.objective - price;
      if (!idle) {
        const double white = white_penalty(white_share(factor), gain, parameters(n_, rank) - 1);
        score = -fit.objective - price - white;
        add({rank, true}, std::move(fit), price + white);
      }
      if ((plain_matters || idle) && !add({rank, false}, std::move(plain), price)) return;
      if (plain_ended) {
        converged_ = false;
        return;
      }
      if (!plain_matters && score < before) return;
      before = score;
      if (rank + 1 >= std::min(n_, most_ranks)) return;
      std::optional<Result<Matrix<S>>> wider = one_more(likeliest_of(rank), price);
      if (!wider) return;
      fit = std::move(*wider);
      widest_ = fit.factor;
    }
  }

  const Candidate<S>& likeliest_of(Index rank) const {
    return *std::ranges::min_element(candidates_, {}, [&](const Candidate<S>& c) {
      return c.kind.rank == rank ? c.fit.objective : std::numeric_limits<double>::infinity();
    });
  }

  /// Where the fit of rank 1 starts.
  Matrix<S> start() {
    Composite<AnyOperator<S>, AnyLoss<Real>> f(model_.problem.op, model_.problem.loss);
    const Options& options = run_.settings().options;
    return run_.settings().init == start_name::random
               ? random_start(f, 1, options.seed).factor
               : spectral_start(f, 1, options.smoothness, start_accuracy(options.seed)).factor;
  }

  /// A row of zeros stays one.
  Result<Matrix<S>> without_noise(const Matrix<S>& v, StopRule rule) {
    Matrix<S> plain = v;
    plain.row(n_).setZero();
    scale(norm(v) / norm(plain), plain);
    return run_.from(std::move(plain), std::move(rule));
  }

  /// Of the trace.
  static double white_share(const Matrix<S>& v) {
    return white_weight(v) / std::pow(static_cast<double>(norm(v)), 2);
  }

  /// The fit of one more column, to the end where it may matter; nothing where no column helps.
  /// Adds what noise gains by the column to the price.
  std::optional<Result<Matrix<S>>> one_more(const Candidate<S>& smaller, double& price) {
    Matrix<S> wide = lifted(run_, smaller.fit.factor, 1);
    if (wide.size() == 0) return std::nullopt;
    const Index rank = wide.cols();
    const StopRule rough = stop_when_rough(n_);
    Result<Matrix<S>> fit = run_.from(std::move(wide), rough);
    const double gain = smaller.fit.objective - fit.objective + rough.least_gain;
    price += gain_of_noise(smaller, gain, noise_of_column(rank - 1, n_),
                           [&](StagedRun<S>& run, const Matrix<S>& v) {
                             Matrix<S> start = lifted(run, v, 1);
                             return start.size() == 0 ? v : run.from(start, rough).factor;
                           });
    const double score = -fit.objective - price;
    if (fit.status != Status::converged || !may_matter(score + rough.least_gain)) return fit;
    return run_.on_from(std::move(fit), to_the_end(rank));
  }

  /// What a wider model must gain beside a smaller one: what noise alone gains in few cases. Random
  /// matrices give a bound for noise that is alike in all directions; counts of rare outcomes leave
  /// it less room, which is simulated where the gain is below the bound and may matter.
  template <class Widen>
  double gain_of_noise(const Candidate<S>& smaller, double gain, const LengthOfNoise& alike,
                       const Widen& widen) {
    const double bound = gain_in_few_cases(alike);
    const double least = gain_in_few_cases({0, alike.deviation});
    if (gain >= bound || gain <= least || n_ > most_rows_at_full_rank) return bound;
    const Stopwatch watch;
    RunSettings inner = run_.settings();
    inner.journal = nullptr;
    inner.progress = {};
    const Matrix<S>& v = smaller.fit.factor;
    Vector<Real> p;
    noisy_.op.forward(v, p);
    const Vector<double> predicted =
        p.template cast<double>() / std::pow(static_cast<double>(norm(v)), 2);
    ModelChoice choice = data_.choice;
    choice.set = model_.facts.set;
    choice.loss = model_.facts.loss;
    double sum = 0;
    for (int k = 0; k < simulations_of_noise && converged_; ++k) {
      inner.options = remaining(options_of(run_.settings()), run_.result().iterations,
                                run_.result().seconds + watch.seconds());
      inner.options.keep_trace = false;
      const Problem<S> noise = problem_with_white_noise(make_model<S>(
          redrawn(data_.measured, predicted, inner.options.seed, static_cast<std::uint64_t>(k)),
          choice, inner));
      StagedRun<S> run(noise, inner);
      const Result<Matrix<S>> fit = run.from(v, stop_when_rough(n_));
      Vector<Real> wider;
      noise.op.forward(widen(run, fit.factor), wider);
      sum += std::sqrt(2 * std::max(fit.objective - noise.loss.value(wider), 0.0));
    }
    run_.spend(watch.seconds());
    return std::min(gain_in_few_cases({sum / simulations_of_noise, alike.deviation}), bound);
  }

  const Candidate<S>& best() const {
    return *std::ranges::max_element(candidates_, {}, &Candidate<S>::score);
  }

  /// What noise that is alike in all directions gains by the full rank beside a model.
  LengthOfNoise noise_beside(const Candidate<S>& smaller) const {
    const Matrix<S>& v = smaller.fit.factor;
    Vector<Real> p;
    noisy_.op.forward(v, p);
    const double curvature = mean_curvature<S>(model_.problem.op, model_.problem.loss, p);
    const double level = white_weight(v) / static_cast<double>(n_) * std::sqrt(curvature);
    return noise_of_full_rank(smaller.kind.rank, n_, level);
  }

  /// By no more than the optimality gap can any state be more likely than the best of these.
  bool full_rank_may_compete() {
    const auto likeliest = std::ranges::max_element(
        candidates_, {}, [](const Candidate<S>& c) { return -c.fit.objective; });
    Vector<Real> p;
    noisy_.op.forward(likeliest->fit.factor, p);
    const double bound = model_.problem.trace_bound;
    if (!std::isfinite(bound)) return true;
    const double gap = optimality_gap(model_.problem.op, model_.problem.loss, p, bound).value;
    return may_matter(gap - likeliest->fit.objective - best().penalty - gain_in_few_cases({}));
  }

  Result<Matrix<S>> full_rank_from(StagedRun<S>& run, const Matrix<S>& v) const {
    Matrix<S> wide = Matrix<S>::Zero(n_ + 1, n_);
    wide.topRows(n_) =
        with_white_part<S>(low_rank_part(v), std::max(white_weight(v), white_at_start));
    return run.from(std::move(wide), to_the_end(n_));
  }

  void add_full_rank() {
    const Candidate<S> smaller = best();
    const auto likeliest = std::ranges::max_element(
        candidates_, {}, [](const Candidate<S>& c) { return -c.fit.objective; });
    Result<Matrix<S>> full = full_rank_from(run_, likeliest->fit.factor);
    const Matrix<S> factor = full.factor;
    const double price = gain_of_noise(
        smaller, smaller.fit.objective - full.objective, noise_beside(smaller),
        [&](StagedRun<S>& run, const Matrix<S>& v) { return full_rank_from(run, v).factor; });
    if (add({n_, false}, std::move(full), smaller.penalty + price)) refit_from(factor);
  }

  /// Fits the plausible models again from the leading part of a wider fit, which may be in a better
  /// valley.
  void refit_from(const Matrix<S>& wider) {
    for (Candidate<S>& candidate : candidates_) {
      const Index rank = candidate.kind.rank;
      if (rank >= wider.cols()) continue;
      const Matrix<S> leading = compressed(low_rank_part(wider), rank);
      const double rest = 1 - std::pow(norm(leading) / norm(wider), 2);
      Matrix<S> start =
          with_white_noise(leading, candidate.kind.white ? std::clamp(rest, 1e-3, 0.999) : 0);
      const bool better = run_.objective().at(start) < candidate.fit.objective;
      if (!better && !may_matter(candidate.score())) continue;
      Result<Matrix<S>> again = run_.from(std::move(start), to_the_end(rank));
      if (again.status != Status::converged || again.objective >= candidate.fit.objective) continue;
      candidate.fit = std::move(again);
      best_ = std::max(best_, candidate.score());
    }
  }

  /// An eigenvalue is not told from 0, that is, within three standard deviations of it. Farther
  /// away hedging changes nothing that matters.
  bool is_near_boundary(const Matrix<S>& v) const {
    constexpr double deviations = 3;
    const double lowest = hermitian_eigenvalues(gram(v, v))[0];
    return lowest < deviations / std::sqrt(std::max(shots_, 1.0));
  }

  /// The hedged state of full rank; the plain one has eigenvalues 0 where the truth has small ones.
  Matrix<S> hedged(const Matrix<S>& v) {
    const Stopwatch watch;
    HedgedObjective<S> f(model_.problem.op, model_.problem.loss);
    Options options =
        remaining(options_of(run_.settings()), run_.result().iterations, run_.result().seconds);
    options.tolerance = std::max(options.tolerance, hedged_tolerance);
    options.keep_trace = false;
    const double trace = std::pow(norm(v), 2);
    const Matrix<S> start = with_white_part<S>(
        low_rank_part(v) * static_cast<Real>(std::sqrt(1 - first_share)), first_share * trace);
    Matrix<S> found = projfgd(f, model_.problem.set, Start<Matrix<S>>{start, 0}, options).factor;
    run_.spend(watch.seconds());
    return found;
  }

  ChosenState<S> average() {
    std::vector<double> scores;
    for (const auto& c : candidates_) scores.push_back(c.score());
    const std::vector<double> weights = model_weights(scores);
    const auto first =
        static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
    ChosenState<S> out{.op = noisy_.op, .fitted = candidates_[first].fit.factor};
    RootMean<S> mean(n_);
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      if (weights[k] == 0) continue;
      Matrix<S> v = candidates_[k].fit.factor;
      if (candidates_[k].kind.rank == n_ && is_near_boundary(v)) v.topRows(n_) = hedged(v);
      mean.add(weights[k], low_rank_part(v), white_weight(v));
      out.parameters += weights[k] * parameters_of(candidates_[k].kind);
    }
    const Matrix<S> low = mean.factor();
    const double trace = std::pow(static_cast<double>(norm(low)), 2) + mean.white();
    // A mean of roots is shorter than the roots are. What is asked of the trace is that of the
    // fits.
    const double longer = std::pow(static_cast<double>(norm(out.fitted)), 2) / trace;
    Matrix<S> v(n_ + 1, low.cols());
    v.topRows(n_) = static_cast<Real>(std::sqrt(longer)) * low;
    v.row(n_).setConstant(
        static_cast<Real>(std::sqrt(longer * mean.white() / static_cast<double>(low.cols()))));
    Vector<Real> p;
    noisy_.op.forward(v, p);
    out.predictions = p.template cast<double>();
    run_.take(candidates_[first].fit);
    out.answer = std::move(run_).answer();
    out.answer.result.factor = with_white_part<S>(low_rank_part(v), white_weight(v));
    out.white_noise = mean.white() / trace;
    out.rank = candidates_[first].kind.rank;
    out.reason = reason(weights, first);
    return out;
  }

  double parameters_of(const StateModelKind& kind) const {
    return parameters(n_, kind.rank) - (kind.white ? 0 : 1);
  }

  /// Why this state, in a sentence.
  std::string reason(const std::vector<double>& weights, std::size_t first) const {
    const Candidate<S>& chosen = candidates_[first];
    const std::string name = name_of(chosen.kind, n_);
    if (!converged_) return fmt::format("{}: stopped before the search finished", name);
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (weights[k] == 0) continue;
      parts.push_back(
          fmt::format("{} ({:.1f}%)", name_of(candidates_[k].kind, n_), 100 * weights[k]));
    }
    constexpr double nearly_all = 0.95;  // of the weight
    const double largest = *std::ranges::max_element(weights);
    if (parts.size() > 1 && largest >= nearly_all) {
      return fmt::format(
          "{}: the most plausible of the models compared, with a probability of {:.1f}%", name,
          100 * largest);
    }
    if (parts.size() > 1) {
      return fmt::format(
          "{}: the data do not single out one model, so the state is the average of {}", name,
          fmt::join(parts, ", "));
    }
    const auto larger = std::ranges::find_if(
        candidates_, [&](const Candidate<S>& c) { return c.kind.rank == chosen.kind.rank + 1; });
    if (chosen.kind.rank == n_) return fmt::format("{}: no smaller rank is as plausible", name);
    if (larger == candidates_.end())
      return fmt::format("{}: a larger rank does not improve the fit", name);
    return fmt::format(
        "{}: one more component would improve the log-likelihood by {:.3g}, less than the {:.3g} "
        "that noise alone could give",
        name, std::max(chosen.fit.objective - larger->fit.objective, 0.0),
        larger->penalty - chosen.penalty);
  }

  const TomographyData& data_;
  const StateModel<S>& model_;
  const Noise& noise_;
  Index n_;
  double shots_;  ///< of a setting
  Problem<S> noisy_;
  StagedRun<S> run_;
  std::vector<Candidate<S>> candidates_;
  Matrix<S> widest_;                                        ///< fit
  double best_ = -std::numeric_limits<double>::infinity();  ///< score
  bool converged_ = false;
};

}  // namespace

template <class S>
Matrix<S> with_white_part(const Matrix<S>& u, double white) {
  using Real = RealOf<S>;
  const Index n = u.rows();
  const HermitianEigen<S> eigen = hermitian_eigen(gram(u, u));
  const Real least = eigen.values.tail(1)[0] * std::numeric_limits<Real>::epsilon() * Real(n);
  const Index count = (eigen.values.array() > least).count();
  const Vector<Real> values = eigen.values.tail(count);
  Matrix<S> axes;  // orthogonal columns, sqrt(value) long
  multiply(u, Matrix<S>(eigen.vectors.rightCols(count).rowwise().reverse()), axes);
  if (!(white > 0)) return axes;
  const Real floor = static_cast<Real>(white / static_cast<double>(n));
  Matrix<S> root = std::sqrt(floor) * Matrix<S>::Identity(n, n);
  const Vector<Real> longer = ((values.array() + floor).sqrt() - std::sqrt(floor)) / values.array();
  root.noalias() += axes * longer.reverse().asDiagonal() * axes.adjoint();
  return root;
}

template <class S>
Problem<S> problem_with_white_noise(const StateModel<S>& model) {
  const Problem<S>& plain = model.problem;
  Problem<S> noisy = plain;
  noisy.op = WhiteNoiseOperator<AnyOperator<S>>(
      plain.op, model.facts.white_predictions.template cast<RealOf<S>>());
  noisy.set = make_constraint<S>(model.facts.set, plain.op.rows() + 1);
  noisy.rank = 1;
  if (plain.error) {
    noisy.error = [error = plain.error](const Matrix<S>& v) {
      return error(with_white_part<S>(low_rank_part(v), white_weight(v)));
    };
  }
  return noisy;
}

template <class S>
bool can_choose_model(const StateModel<S>& model, const RunSettings& settings) {
  const Problem<S>& problem = model.problem;
  const bool of_trace = problem.only_trace || model.facts.set.name == "frobenius-sphere";
  return model.facts.noise.likelihood && of_trace && problem.start.size() == 0 &&
         problem.op.rows() <= most_rows && takes_automatic_steps(settings);
}

template <class S>
ChosenState<S> choose_state(const TomographyData& data, const StateModel<S>& model,
                            const RunSettings& settings) {
  return ModelSearch<S>(data, model, settings).search();
}

#define PROJFGD_INSTANTIATE(S)                                                      \
  template Matrix<S> with_white_part(const Matrix<S>&, double);                     \
  template Problem<S> problem_with_white_noise(const StateModel<S>&);               \
  template bool can_choose_model(const StateModel<S>&, const RunSettings&);         \
  template ChosenState<S> choose_state(const TomographyData&, const StateModel<S>&, \
                                       const RunSettings&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

#include "jobs/tomography/model_search.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "jobs/common/escape.hpp"
#include "jobs/tomography/held_state.hpp"
#include "jobs/tomography/mean_curvature.hpp"
#include "jobs/tomography/white_part.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/optimality.hpp"
#include "projfgd/measures/state_evidence.hpp"
#include "projfgd/operators/white_noise.hpp"
#include "projfgd/starts/random.hpp"

namespace projfgd {
namespace {

constexpr Index most_rows = 1024;             // 10 qubits: white noise needs an n x n factor
constexpr Index most_rows_at_full_rank = 64;  // 6 qubits: the full rank takes seconds
constexpr Index most_rows_of_evidence = 32;   // 5 qubits
constexpr Index most_ranks = 64;
constexpr double least_white_gain = 0.01;  // nats, far below what noise gains

template <class S>
class ModelSearch {
 public:
  ModelSearch(const StateModel<S>& model, const RunSettings& settings)
      : model_(model),
        noise_(model.facts.noise),
        n_(model.problem.op.rows()),
        noisy_(problem_with_white_noise(model)),
        run_(noisy_, settings) {}

  ChosenState<S> search() {
    grow();
    if (converged_ && n_ <= most_rows_at_full_rank && full_rank_may_compete()) add_full_rank();
    return average_of(candidates_, std::move(run_), converged_);
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
    Result<Matrix<S>> fit =
        run_.from(with_white_noise(start(), white_share_at_start), to_the_end(1));
    double before = -std::numeric_limits<double>::infinity();
    for (Index rank = 1;; ++rank) {
      const Matrix<S> factor = fit.factor;
      const double price = prices_.back();
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
      std::optional<Result<Matrix<S>>> wider = one_more(likeliest_of_rank(rank));
      if (!wider) return;
      fit = std::move(*wider);
    }
  }

  /// With or without white noise.
  const Candidate<S>& likeliest_of_rank(Index rank) const {
    return *std::ranges::min_element(candidates_, {}, [&](const Candidate<S>& c) {
      return c.kind.rank == rank ? c.fit.objective : std::numeric_limits<double>::infinity();
    });
  }

  /// Where the fit of rank 1 starts.
  Matrix<S> start() {
    Composite<AnyOperator<S>, AnyLoss<Real>> f(model_.problem.op, model_.problem.loss);
    const Options& options = run_.settings().options;
    EigenOptions eigen = start_accuracy(options.seed);
    eigen.go_on = [this] { return run_.may_go_on(0); };
    return run_.settings().init == start_name::random
               ? random_start(f, 1, options.seed, eigen.go_on).factor
               : spectral_start(f, 1, options.smoothness, eigen).factor;
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
  /// Adds the price of its rank.
  std::optional<Result<Matrix<S>>> one_more(const Candidate<S>& smaller) {
    Matrix<S> wide = lifted(run_, smaller.fit.factor, 1);
    if (wide.size() == 0) return std::nullopt;
    const Index rank = wide.cols();
    const StopRule rough = stop_when_rough(n_);
    Result<Matrix<S>> fit = run_.from(std::move(wide), rough);
    prices_.push_back(prices_.back() + price_of_column(smaller.fit.factor, fit.factor));
    const double score = -fit.objective - prices_.back();
    if (fit.status != Status::converged || !may_matter(score + rough.least_gain)) return fit;
    return run_.on_from(std::move(fit), to_the_end(rank));
  }

  /// What a column must gain: as much as the mean likelihood of random states falls by it below
  /// that of the fit. In many dimensions, where random states hardly ever have the small
  /// eigenvalues that are met, what noise gains.
  double price_of_column(const Matrix<S>& smaller, const Matrix<S>& wider) const {
    if (n_ > most_rows_of_evidence) return gain_in_few_cases(noise_of_column(smaller.cols(), n_));
    Vector<Real> p;
    noisy_.op.forward(wider, p);
    const double curvature = mean_curvature<S>(model_.problem.op, model_.problem.loss, p);
    return log_evidence(smaller, curvature) - log_evidence(wider, curvature);
  }

  /// Of states of the rank of this fit, over the likelihood at it.
  double log_evidence(const Matrix<S>& v, double curvature) const {
    const Matrix<S> u = low_rank_part(v);
    const Vector<double> values = hermitian_eigenvalues<S>(gram(u, u)).template cast<double>();
    return weighed_states(values.cwiseMax(0.0) / values.sum(), curvature, n_).log_evidence;
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
    const Candidate<S>& likeliest = likeliest_of(candidates_);
    Vector<Real> p;
    noisy_.op.forward(likeliest.fit.factor, p);
    const double bound = model_.problem.trace_bound;
    if (!std::isfinite(bound)) return true;
    const double gap = optimality_gap(model_.problem.op, model_.problem.loss, p, bound).value;
    return may_matter(gap - likeliest.fit.objective - best_of(candidates_).penalty);
  }

  Result<Matrix<S>> full_rank_from(StagedRun<S>& run, const Matrix<S>& v) const {
    Matrix<S> wide = Matrix<S>::Zero(n_ + 1, n_);
    wide.topRows(n_) =
        with_white_part<S>(low_rank_part(v), std::max(white_weight(v), white_at_start));
    return run.from(std::move(wide), to_the_end(n_));
  }

  /// Its price is the smaller one of two: that of states of full rank, each as probable, and what
  /// noise gains by it. The first is too high for states with few large eigenvalues, of which there
  /// are next to none, but which are met.
  void add_full_rank() {
    const Candidate<S> smaller = best_of(candidates_);
    const Index rank = smaller.kind.rank;
    Result<Matrix<S>> full = full_rank_from(run_, likeliest_of(candidates_).fit.factor);
    const HeldState<S> held = held_at(full.factor);
    const double trace = held.eigenvalues.sum();
    const Vector<double> peak = held.eigenvalues - held.slopes / held.curvature;
    const WeighedStates states = weighed_states(peak / trace, held.curvature * trace * trace, n_);
    const double above_fit = held.slopes.squaredNorm() / (2 * held.curvature);
    const double by_states = prices_[static_cast<std::size_t>(rank - 1)] +
                             log_evidence(smaller.fit.factor, held.curvature * trace * trace) -
                             states.log_evidence - above_fit;
    const double by_noise = smaller.penalty + gain_in_few_cases(noise_beside(smaller));
    add({n_, false}, std::move(full), std::min(by_states, by_noise));
    candidates_.back().expected =
        held.eigenvectors *
        (trace * states.eigenvalues).cwiseSqrt().template cast<Real>().asDiagonal();
  }

  /// The likeliest state of full rank.
  HeldState<S> held_at(const Matrix<S>& likeliest) const {
    Vector<Real> p;
    noisy_.op.forward(likeliest, p);
    const Matrix<S> u = with_white_part<S>(low_rank_part(likeliest), white_weight(likeliest));
    return held_state<S>(model_.problem.op, model_.problem.loss, u, p);
  }

  const StateModel<S>& model_;
  const Noise& noise_;
  Index n_;
  Problem<S> noisy_;
  StagedRun<S> run_;
  std::vector<Candidate<S>> candidates_;
  std::vector<double> prices_{0};  ///< nats, of each rank without white noise
  double best_ = -std::numeric_limits<double>::infinity();  ///< score
  bool converged_ = false;
};

}  // namespace

template <class S>
bool can_choose_model(const StateModel<S>& model, const RunSettings& settings) {
  const Problem<S>& problem = model.problem;
  const bool of_trace = problem.only_trace || model.facts.set.name == "frobenius-sphere";
  return model.facts.noise.likelihood && of_trace && problem.start.size() == 0 &&
         problem.op.rows() <= most_rows && takes_automatic_steps(settings);
}

template <class S>
ChosenState<S> choose_state(const StateModel<S>& model, const RunSettings& settings) {
  return ModelSearch<S>(model, settings).search();
}

#define PROJFGD_INSTANTIATE(S)                                              \
  template bool can_choose_model(const StateModel<S>&, const RunSettings&); \
  template ChosenState<S> choose_state(const StateModel<S>&, const RunSettings&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

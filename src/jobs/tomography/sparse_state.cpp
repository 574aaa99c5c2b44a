#include "jobs/tomography/sparse_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <utility>

#include "jobs/common/noise.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/refined_l1.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/measures/few_terms.hpp"
#include "projfgd/operators/white_noise.hpp"

namespace projfgd {
namespace {

constexpr int most_radii = 12;          // solves on the way to the radius; three are usual
constexpr double rough = 1e-3;          // relative change of X at which a ball is left for the next
constexpr double first_share = 0.1;     // of white noise, where a fit of it starts
constexpr double told_of = 1e-3;        // weight of white noise that is worth a word
constexpr double largest_change = 2.0;  // of the radius in a step
constexpr double faster = 4.0;          // from one ball to the next, while all are on one side
constexpr double least_share = 0.1;     // of the way from one ball to the other

/// Counts of the outcomes that were seen.
SeenCounts seen_counts(const Measurements& measured) {
  if (const auto* seen = std::get_if<SeenCounts>(&measured)) return *seen;
  const auto* counts = std::get_if<CountsData>(&measured);
  if (counts != nullptr && counts->shots_known && counts->counts.minCoeff() >= 0) {
    return seen_part(*counts);
  }
  throw InputError(
      "--constraint l1-ball: found no radius, expected one, as in l1-ball:1.5; it can be estimated "
      "only from counts with a known number of shots");
}

/// The l1 ball on the first n rows of U, or, once they are known, the amplitudes that are not 0.
template <class S>
class SparseSet {
 public:
  SparseSet(Index rows, double radius)
      : state_(std::make_shared<State>(State{rows, radius, {}, {}})) {}

  void project(Matrix<S>& u) const {
    if (!state_->inside.empty()) return keep_rows(state_->inside, u);
    if (u.rows() == state_->rows) return L1Ball(state_->radius).project(u);
    state_->top = u.topRows(state_->rows);
    L1Ball(state_->radius).project(state_->top);
    u.topRows(state_->rows) = state_->top;
  }
  bool convex() const { return true; }
  bool rotation_invariant() const { return false; }

  double radius() const { return state_->radius; }
  void set_radius(double radius) { state_->radius = radius; }
  void keep(std::vector<bool> inside) { state_->inside = std::move(inside); }

 private:
  struct State {
    Index rows;
    double radius;
    std::vector<bool> inside;
    Matrix<S> top;
  };
  std::shared_ptr<State> state_;  // copies share it
};

template <class S>
class SparseSearch {
 public:
  SparseSearch(const StateModel<S>& model, const RunSettings& settings, const StateFactor& start,
               bool white)
      : n_(model.problem.op.rows()),
        shots_(model.facts.shots),
        white_(white),
        set_(n_, start.cwiseAbs().sum()),
        problem_(with_set(model, set_, start.cols(), white)),
        settings_(with_tolerance(settings)),
        exact_(settings),
        point_(start.cast<S>()),
        run_(problem_, settings_) {
    if (white_) point_ = with_white_noise(point_, first_share);
  }

  ChosenState<S> search() {
    find_radius();
    ChosenState<S> out{.op = problem_.op};
    if (converged_) fit_amplitudes();
    out.answer = std::move(run_).answer();
    out.fitted = out.answer.result.factor;
    const double trace = std::pow(static_cast<double>(norm(out.fitted)), 2);
    Matrix<S> u = white_ ? low_rank_part(out.fitted) : out.fitted;
    out.white_noise = white_ ? white_weight(out.fitted) / trace : 0;
    const Index amplitudes = count_amplitudes(u);
    out.reason = fmt::format(
        "rank {}: a state with {} nonzero amplitudes in an l1 ball of radius {:.3g}, both "
        "estimated from the data{}",
        u.cols(), amplitudes, static_cast<double>(u.cwiseAbs().sum()) / norm(u),
        out.white_noise > told_of
            ? fmt::format("; the fitted white noise of weight {:.2g} is not part of the state",
                          out.white_noise)
            : "");
    Vector<Real> p;
    problem_.op.forward(out.fitted, p);
    out.predictions = p.template cast<double>();
    out.rank = u.cols();
    out.parameters = parameters(amplitudes, std::min(u.cols(), amplitudes));
    // The answer has the trace of all, so that predictions over its trace are those of a state.
    scale(static_cast<Real>(std::sqrt(trace) / norm(u)), u);
    out.answer.result.factor = std::move(u);
    return out;
  }

 private:
  using Real = RealOf<S>;

  static Problem<S> with_set(const StateModel<S>& model, const SparseSet<S>& set, Index rank,
                             bool white) {
    Problem<S> problem = model.problem;
    problem.set = set;
    problem.rank = rank;
    problem.start = {};
    if (!white) return problem;
    problem.op = WhiteNoiseOperator<AnyOperator<S>>(
        problem.op, model.facts.white_predictions.template cast<Real>());
    if (problem.error) {
      problem.error = [error = problem.error](const Matrix<S>& v) {
        return error(low_rank_part(v));
      };
    }
    return problem;
  }

  static RunSettings with_tolerance(RunSettings settings) {
    settings.options.tolerance = std::max(settings.options.tolerance, rough);
    return settings;
  }

  Matrix<S> amplitudes_of(const Matrix<S>& v) const { return v.topRows(n_); }

  Index count_amplitudes(const Matrix<S>& u) const {
    return (u.rowwise().squaredNorm().array() > 0).count();
  }

  /// The largest of the gradient's noise over n amplitudes.
  double noise() const { return std::sqrt(shots_ * std::log(static_cast<double>(n_))); }

  /// How far that is known: the largest of n scatters by 1 / (2 log n) of itself.
  double spread() const { return 1 / (2 * std::log(static_cast<double>(n_))); }

  /// A ball whose multiplier is known.
  struct Tried {
    double radius = 0, lambda = 0;
  };

  /// The multiplier falls as the radius grows, by orders: its logarithm is interpolated between a
  /// ball that is too small and one that is too large, after a step to where the other one must be.
  void find_radius() {
    Tried small, large;  // radius 0: not found yet
    for (int k = 0; k < most_radii; ++k) {
      Result<Matrix<S>> found = run_.from(point_);
      converged_ = found.status == Status::converged;
      point_ = found.factor;
      run_.take(std::move(found));
      if (!converged_) return;
      const Tried now{set_.radius(), multiplier()};
      if (std::abs(now.lambda - noise()) <= spread() * noise()) return;
      (now.lambda > noise() ? small : large) = now;
      set_.set_radius(next_radius(k, now, small, large));
    }
  }

  double next_radius(int balls, const Tried& now, const Tried& small, const Tried& large) const {
    if (small.radius > 0 && large.radius > 0) {
      const double share =
          std::log(small.lambda / noise()) / std::log(small.lambda / std::max(large.lambda, 1.0));
      return small.radius +
             std::clamp(share, least_share, 1 - least_share) * (large.radius - small.radius);
    }
    // To shorten U = t U_0 of trace 1 by 1 - t costs the multiplier 2 N (1 - t) / ||U||_1. Farther
    // every time, to come out on the other side: where much of U is noise it costs less.
    const double slope = 2 * shots_ / (now.radius * now.radius);
    return std::clamp(now.radius + std::pow(faster, balls) * (now.lambda - noise()) / slope,
                      now.radius / largest_change, now.radius * largest_change);
  }

  /// -<U, G> / ||U||_1 over the amplitudes: on the boundary of the ball G = -lambda U / |U|.
  double multiplier() {
    const Stopwatch watch;
    auto& f = run_.objective();
    Matrix<S> g;
    f.at(point_);
    f.gradient_times(point_, g);
    const Matrix<S> u = amplitudes_of(point_), pull = amplitudes_of(g);
    run_.spend(watch.seconds());
    return -static_cast<double>(dot(u, pull)) / static_cast<double>(u.cwiseAbs().sum());
  }

  void fit_amplitudes() {
    std::vector<bool> inside(static_cast<std::size_t>(point_.rows()), true);
    for (Index i = 0; i < n_; ++i) inside[static_cast<std::size_t>(i)] = !point_.row(i).isZero(0);
    const Index count = count_amplitudes(amplitudes_of(point_));
    set_.keep(std::move(inside));
    settings_.options.tolerance = exact_.options.tolerance;
    const double fitted = parameters(count, std::min(point_.cols(), count));
    Result<Matrix<S>> found = run_.from(point_, {.least_gain = gain_under_noise(fitted)});
    if (found.status == Status::converged) return run_.take(std::move(found));
    run_.stop(std::move(found));
  }

  Index n_;
  double shots_;  ///< of all settings
  bool white_;
  SparseSet<S> set_;
  Problem<S> problem_;
  RunSettings settings_;
  const RunSettings& exact_;
  Matrix<S> point_;
  StagedRun<S> run_;
  bool converged_ = false;
};

}  // namespace

template <class S>
ChosenState<S> find_sparse_state(const TomographyInput& input, const Measurements& measured,
                                 const StateModel<S>& model, const RunSettings& settings) {
  const SeenCounts counts = seen_counts(measured);
  if (!model.facts.noise.likelihood) {
    throw InputError(fmt::format(
        "--constraint l1-ball: found no radius, expected one with --loss {}, as in l1-ball:1.5",
        model.facts.loss));
  }
  const auto start =
      few_term_state(counts.seen, counts.counts, counts.bases, std::max<Index>(settings.rank, 1));
  if (!start) {
    throw InputError(
        "--constraint l1-ball: found no setting that measures all qubits in Z, expected one, which "
        "shows the nonzero amplitudes");
  }
  const bool white = input.white_noise == white_noise_option::automatic;
  return SparseSearch<S>(model, settings, *start, white).search();
}

#define PROJFGD_INSTANTIATE(S)                                                           \
  template ChosenState<S> find_sparse_state(const TomographyInput&, const Measurements&, \
                                            const StateModel<S>&, const RunSettings&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd

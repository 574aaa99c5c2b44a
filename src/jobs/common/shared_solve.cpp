#include "jobs/common/shared_solve.hpp"

#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "jobs/common/shared_factor.hpp"
#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/solvers/projfgd.hpp"

namespace projfgd {
namespace {

using S = std::complex<double>;
using F = SharedFactor<S>;

/// An objective of whole factors, which every rank knows its part of, for factors that they share.
class SharedObjective {
 public:
  using Factor = F;

  explicit SharedObjective(MethodCall<S>::Objective& f) : f_(f) {}

  Index rows() const { return f_.rows(); }
  void keep(Archive& archive) { f_.keep(archive); }
  double at(const F& u) {
    point_ = copy_to_host(u);
    return f_.at(point_);
  }
  /// Mostly at the point itself, whose rows all have.
  void gradient_times(const F& v, F& g) {
    copy_from_host(point_, rows_);
    const bool same_size = rows_.mine.rows() == v.mine.rows() && rows_.mine.cols() == v.mine.cols();
    const bool everywhere = SharedBy::ranks().all(same_size && rows_.mine == v.mine);
    f_.gradient_times(everywhere ? point_ : copy_to_host(v), whole_);
    copy_from_host(whole_, g);
  }
  void start_times(const F& v, F& g) {
    f_.start_times(copy_to_host(v), whole_);
    copy_from_host(whole_, g);
  }
  void line(const F& u, const F& d) { f_.line(copy_to_host(u), copy_to_host(d)); }
  double line_minimum(double longest) { return f_.line_minimum(longest); }
  double move_on_line(double t) { return f_.move_on_line(t); }
  double on_ray(double t) { return f_.on_ray(t); }
  double scale_minimum() { return f_.scale_minimum(); }

 private:
  MethodCall<S>::Objective& f_;
  Matrix<S> point_, whole_;
  F rows_;
};

/// The set of a problem, which knows whole factors. A ball that bounds the trace needs only the
/// norm.
class SharedSet {
 public:
  SharedSet(const Problem<S>& problem, const AnyConstraint<S>& set) : set_(set) {
    const bool only_trace = problem.only_trace && set.is(problem.set);
    is_all_ = only_trace && !std::isfinite(problem.trace_bound);
    if (only_trace && !is_all_) ball_.emplace(std::sqrt(problem.trace_bound));
  }

  void project(F& u) const {
    if (is_all_) return;
    if (ball_) return ball_->project(u);
    Matrix<S> whole = copy_to_host(u);
    set_.project(whole);
    copy_from_host(whole, u);
  }
  bool convex() const { return set_.convex(); }
  bool rotation_invariant() const { return set_.rotation_invariant(); }

 private:
  const AnyConstraint<S>& set_;
  std::optional<FrobeniusBall> ball_;
  bool is_all_;
};

}  // namespace

Start<Matrix<S>> spectral_start_on_ranks(MethodCall<S>::Objective& f, const Ranks& ranks,
                                         Index rank, double smoothness,
                                         const EigenOptions& options) {
  const SharedBy shared(ranks);
  SharedObjective of_all(f);
  const Start<F> start = spectral_start(of_all, rank, smoothness, options);
  return {copy_to_host(start.factor), start.smoothness};
}

Result<Matrix<S>> solve_on_ranks(MethodCall<S>& call, const AnyConstraint<S>& set) {
  const SharedBy shared(*call.ranks);
  SharedObjective f(call.f);
  Start<Matrix<S>> whole = call.start();
  Start<F> start{{}, whole.smoothness};
  copy_from_host(whole.factor, start.factor);
  const bool is_watched = static_cast<bool>(call.problem.error);  // nobody else looks at iterates
  const std::function<Decision(const Snapshot<F>&)> watcher = [&](const Snapshot<F>& now) {
    return call.observer({is_watched ? copy_to_host(now.factor) : Matrix<S>(), now.row});
  };
  auto found = projfgd(f, SharedSet(call.problem, set), std::move(start), call.options, watcher);
  return {copy_to_host(found.factor),
          found.status,
          std::move(found.message),
          found.iterations,
          found.objective,
          found.projected_gradient,
          found.seconds,
          std::move(found.trace)};
}

}  // namespace projfgd

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "projfgd/core/gradient_check.hpp"
#include "projfgd/core/positive_inverse.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/lbfgs_memory.hpp"
#include "projfgd/solvers/monitor.hpp"
#include "projfgd/solvers/step_rules.hpp"

namespace projfgd {

/// A feasible point and the projected quasi-Newton steps that improve it. A point is stationary
/// exactly when r(U) = U - P_C(U - gamma G U) vanishes, for any gamma > 0; r is driven to zero by
/// L-BFGS, and f has to decrease:
///
///   P_C(U - t H r), t = 1 if f decreases enough, else the best t, else the projected gradient step
///                   U - r with a smaller gamma.
///
/// Without a set r is gamma G U and this is L-BFGS; where a set is active, r lives on its face and
/// the steps are kept there. A step that is accepted at once costs one product with A and one with
/// its adjoint.
template <Objective O, Constraint<typename O::Factor> C>
class QuasiNewton {
 public:
  using F = typename O::Factor;
  using Real = RealOf<F>;

  QuasiNewton(O& f, const C& set, int memory) : f_(f), set_(set), memory_(memory) {}

  /// Begins at the feasible U, where f was evaluated last. Where no step will follow the gradient,
  /// which costs more than f does, is left out.
  void start(F u, double value, double smoothness, bool steps_follow) {
    u_ = std::move(u);
    value_ = value;
    has_gradient_ = std::isfinite(value) && steps_follow;
    if (!has_gradient_) {
      set_zero(u_.rows(), u_.cols(), g_);
      r_ = g_;
    } else {
      f_.gradient_times(u_, g_);
      require_gradient(u_, g_);
      gamma_ = reference_gamma_ = first_gamma(smoothness);
      residual(u_, g_, gamma_, r_);
    }
    measure();
  }

  void keep(Archive& archive) {
    archive(u_, g_, r_, memory_, gamma_, reference_gamma_, least_residual_, since_cut_, idle_,
            value_, change_, at_u_, line_ready_, cut_, blind_, Remembered<O>{f_, u_});
    archive(length_.u, length_.g, length_.r, length_.normal);
    if (!archive.reads()) return;
    has_gradient_ = true;  // nothing is saved of a run that was told to end before
    find_normal(r_, g_);
  }

  /// One accepted step, or false when f cannot be decreased any more in this precision.
  bool step() {
    const auto right = preconditioner();
    memory_.direction(r_, right ? &*right : nullptr, direction_);
    stay_on_face();
    cut_ = false;
    const bool taken = try_direction() || try_gradients();
    since_cut_ = cut_ ? 0 : since_cut_ + 1;
    if (!taken) change_ = 0;
    return taken;
  }

  /// Where to put a point found by other means, for try_next() and take_next().
  F& next() { return next_; }

  /// Projects next() and returns f there.
  double try_next() {
    set_.project(next_);
    return f_.at(next_);
  }

  /// Goes to next(); what was learnt of f's curvature does not hold there.
  void take_next(double value) {
    subtract(next_, u_, d_);
    memory_.clear();
    accept(value);
  }

  /// The last trial found no finite f, however near: there is nothing to step by.
  bool is_blind() const { return blind_; }
  bool is_finite() const { return std::isfinite(value_) && std::isfinite(length_.g); }
  const F& point() const { return u_; }
  F take_point() { return std::move(u_); }
  const F& residual() const { return r_; }
  double value() const { return value_; }
  /// A step had to be cut not long ago: the memory does not describe f well.
  bool is_troubled() const { return since_cut_ < long_ago; }
  void forget() {
    memory_.clear();
    since_cut_ = long_ago;
  }
  /// The relative change of X in the last step.
  double change() const { return change_; }

  /// ||U - P_C(U - gamma G U)||_F / gamma with the gamma of the start, so that it can be compared
  /// with the start's.
  double projected_gradient() {
    if (!has_gradient_ || !std::isfinite(value_)) return std::numeric_limits<double>::quiet_NaN();
    if (gamma_ == reference_gamma_) return length_.r / gamma_;
    residual(u_, g_, reference_gamma_, next_r_);
    return norm(next_r_) / reference_gamma_;
  }

  /// The same, or with the gamma of now, whichever is larger: that of a start far away may be so
  /// small that rounding leaves nothing of the difference.
  double last_gradient() {
    return std::max(projected_gradient(), static_cast<double>(length_.r / gamma_));
  }

  /// A lower bound of the projected gradient that costs no projection.
  double least_gradient() const { return length_.r / std::max(gamma_, reference_gamma_); }

  double rounding() const { return rounding_of<Real>(value_, length_.g, length_.u); }

  /// Whether f and its gradient disagree here. Only where gamma G U is not small beside U: near a
  /// minimum without a set rounding has the last word.
  bool gradient_is_wrong() {
    const bool steep = 2 * reference_gamma_ * length_.g >= Real(1e-3) * length_.u;
    return steep && gradient_mismatch(f_, u_, g_, value_, rounding()).value_or(0) > 0.5;
  }

 private:
  static constexpr Real armijo = Real(1e-4), most_stretch = Real(1.5);
  static constexpr int most_idle = 30, most_shorter = 4, long_ago = 20;
  static constexpr int forget_every = 10;   // steps without progress
  static constexpr int most_quarters = 60;  // by then a step as long as U is lost in its rounding
  static constexpr double epsilon = std::numeric_limits<Real>::epsilon();

  /// out = U - P_C(U - gamma G U)
  void residual(const F& u, const F& g, Real gamma, F& out) {
    add_scaled(u, -gamma, g, scratch_);
    set_.project(scratch_);
    subtract(u, scratch_, out);
  }

  /// 1 / (2 L ||X||_2), but no step longer than U itself: a longer one would only measure the set;
  /// nor one that is lost in the rounding of U.
  Real first_gamma(double smoothness) const {
    const double size = product_spectral_norm(u_), slope = norm(g_);
    const double gamma = 1 / (2 * smoothness * size);
    const double longest = slope > 0 ? norm(u_) / slope : 1;
    return static_cast<Real>(gamma > epsilon * longest && gamma < longest ? gamma : longest);
  }

  /// Projected gradient steps, ever shorter; r_ and gamma_ are as before when none will do.
  bool try_gradients() {
    const Real gamma = gamma_;
    for (int attempt = 0; attempt < most_quarters; ++attempt) {
      if (!memory_.empty()) {
        memory_.clear();
      } else {
        set_gamma(gamma_ / 4);
        idle_ = 0;  // shorter steps deserve another chance
      }
      direction_ = r_;
      scale(-1, direction_);
      if (try_direction()) return true;
      if (norm(d_) <= epsilon * length_.u) break;
    }
    set_gamma(gamma);
    return false;
  }

  /// Measures residuals with another gamma from now on, that of this point first.
  void set_gamma(Real gamma) {
    memory_.rescale(gamma / gamma_);
    least_residual_ *= gamma / gamma_;
    gamma_ = gamma;
    residual(u_, g_, gamma_, r_);
    measure();
  }

  /// What the projection took from U - gamma G U: zero inside the set, the multiplier at its face.
  void find_normal(const F& r, const F& g) { add_scaled(r, -gamma_, g, normal_); }
  void measure() {
    find_normal(r_, g_);
    set_lengths(inner_products(std::array{twice(u_), twice(g_), twice(r_), twice(normal_)}));
  }
  /// From the squares.
  void set_lengths(const std::array<double, 4>& square) {
    const auto root = [&](std::size_t k) { return static_cast<Real>(std::sqrt(square[k])); };
    length_ = {root(0), root(1), root(2), root(3)};
  }
  bool is_inside() const { return length_.normal <= small_beside(length_.r); }
  /// Differences of iterates carry the rounding of U.
  Real small_beside(Real size) const {
    return static_cast<Real>(std::sqrt(epsilon)) * size + Real(4 * epsilon) * length_.u;
  }

  /// A quasi-Newton step may point into the set where the multiplier says that f rises. Taken from
  /// outside, P_C(U + normal + D) - U, it stays on the face; a curved one shortens it on the way,
  /// which is made good within reason: a step that changes faces shrinks for other reasons.
  void stay_on_face() {
    if (!is_convex(set_) || memory_.empty() || is_inside()) return;
    add_scaled(u_, 1, normal_, scratch_);
    axpy(1, direction_, scratch_);
    set_.project(scratch_);
    subtract(scratch_, u_, scratch_);
    const auto [along, square] =
        inner_products(std::array{FactorPair{&scratch_, &direction_}, twice(scratch_)});
    if (!(along > 0)) return;
    scale(std::min(static_cast<Real>(along / square), most_stretch), scratch_);
    std::swap(scratch_, direction_);
  }

  /// Moves on the arc P_C(U + t D), 0 < t <= 1, if f decreases there; d_ becomes the step.
  bool try_direction() {
    place_on_arc(1);
    const auto [slope, promised] = outlook();
    if (!(promised < 0)) return false;
    line_ready_ = at_u_;  // the objective's line starts at the point before the last
    at_u_ = false;
    const double value = f_.at(next_);
    blind_ = !std::isfinite(value);
    if (const auto taken = judge(value, promised)) return *taken;
    cut_ = true;
    if constexpr (LineObjective<O>) {
      const bool feasible = is_convex(set_) && (is_inside() || arc_is_straight());
      if (feasible && slope < 0 && std::isfinite(value)) return search_line(slope);
    }
    return !memory_.empty() && search_arc(value);
  }

  void place_on_arc(double t) {
    add_scaled(u_, static_cast<Real>(t), direction_, next_);
    set_.project(next_);
    subtract(next_, u_, d_);
  }

  /// The slope of the chord d_, and how much f should change over it. On a curved boundary the
  /// chord may rise at first and still end lower, and its slope drowns in the rounding of g_, which
  /// does not vanish there. r_ has neither fault.
  struct Outlook {
    double slope, promised;
  };
  Outlook outlook() const {
    const auto [along_g, along_r] =
        inner_products(std::array{FactorPair{&g_, &d_}, FactorPair{&r_, &d_}});
    const double slope = 2 * along_g, along_residual = 2 * along_r / gamma_;
    return {slope, slope < 0 ? std::max(slope, along_residual) : along_residual};
  }

  /// Whether the step to next_ was taken; nothing where it is too long.
  std::optional<bool> judge(double value, double promised) {
    if (is_rounding(value, promised)) return accept_by_gradient(value);
    if (!(value <= value_ + armijo * promised)) return std::nullopt;
    accept(value);
    return true;
  }

  /// Away from the curved parts of the boundary the arc is a segment.
  bool arc_is_straight() {
    add_scaled(u_, Real(0.5), direction_, scratch_);
    set_.project(scratch_);
    axpy(-1, u_, scratch_);
    axpy(Real(-0.5), d_, scratch_);
    return norm(scratch_) <= small_beside(norm(d_));
  }

  /// The best point of the segment to next_.
  bool search_line(double slope) {
    if (!line_ready_) {
      f_.at(u_);
      f_.at(next_);
    }
    f_.line(u_, d_);
    const double t = f_.line_minimum(1);
    if (!(t > 0)) return false;
    const double value = f_.move_on_line(t);
    scale(static_cast<Real>(t), d_);
    add_scaled(u_, 1, d_, next_);
    return judge(value, t * slope).value_or(false);
  }

  /// Ever shorter steps, each to where the parabola through what is known of f is lowest.
  bool search_arc(double value) {
    const double slope = 2 * static_cast<double>(dot(r_, direction_)) / gamma_;
    double t = 1;
    for (int attempt = 0; attempt < most_shorter; ++attempt) {
      const double lowest = -slope * t / (2 * (value - value_ - slope * t));
      t *= std::isfinite(lowest) ? std::clamp(lowest, 0.1, 0.5) : 0.1;
      place_on_arc(t);
      value = f_.at(next_);
      const double promised = outlook().promised;
      if (!(promised < 0)) continue;
      if (const auto taken = judge(value, promised)) return *taken;
    }
    return false;
  }

  /// True when the decrease that is promised is lost in the rounding of f.
  bool is_rounding(double value, double slope) const {
    return std::abs(slope) <= rounding() && std::abs(value - value_) <= rounding();
  }

  /// Below the rounding of f the gradient still tells progress.
  bool accept_by_gradient(double value) {
    f_.gradient_times(next_, next_g_);
    residual(next_, next_g_, gamma_, next_r_);
    const auto [before, after, square] =
        inner_products(std::array{FactorPair{&r_, &d_}, FactorPair{&next_r_, &d_}, twice(next_r_)});
    const double length = std::sqrt(square);
    // The slopes at both ends of the step, up to a factor: a step that ends before the far wall of
    // its valley is kept even where the residual grows for a while.
    const bool overshoots = after > 0.9 * std::abs(before) || length > 2 * length_.r;
    if (overshoots && !(length < length_.r)) return false;
    const bool progress = length < 0.9 * least_residual_;
    idle_ = progress ? 0 : idle_ + 1;
    // Projected gradients may still contract where the memory leads nowhere.
    if (idle_ % forget_every == forget_every - 1) memory_.clear();
    if (idle_ > most_idle) return false;
    move(value);
    return true;
  }

  void accept(double value) {
    f_.gradient_times(next_, next_g_);
    residual(next_, next_g_, gamma_, next_r_);
    move(value);
  }

  void move(double value) {
    subtract(next_r_, r_, r_);  // how both changed over the step
    subtract(next_g_, g_, g_);
    find_normal(next_r_, next_g_);
    const auto [u, g, r, normal, step, curvature, along] =
        inner_products(std::array{twice(next_), twice(next_g_), twice(next_r_), twice(normal_),
                                  twice(d_), twice(g_), FactorPair{&d_, &g_}});
    set_lengths({u, g, r, normal});
    least_residual_ = std::min(least_residual_, length_.r);
    change_ = change_by_step(next_, d_);
    // Negative curvature: old pairs know only short steps, and the way out of a saddle is long.
    if (!memory_.push(d_, static_cast<Real>(std::sqrt(step)), r_)) memory_.clear();
    std::swap(u_, next_);
    std::swap(g_, next_g_);
    std::swap(r_, next_r_);
    value_ = value;
    at_u_ = true;
    update_gamma(curvature, along);
  }

  /// Keeps gamma within reach of 1 / L, measured by the gradient's change over the last step: the
  /// square of its length, and its part along the step.
  void update_gamma(double curvature, double along) {
    if (!(curvature > 0)) return;
    // A negative curvature bounds no step: it grows until it could double U.
    const Real longest = length_.u / length_.g;
    const Real wanted =
        along > 0 ? static_cast<Real>(along / curvature) : std::max(gamma_, longest);
    if (!(wanted > 0) || (wanted > gamma_ / 8 && wanted < gamma_ * 8)) return;
    set_gamma(wanted);
  }

  /// K = (U^H U + lambda I)^{-1} for rank above one, lambda shrinking with the residual but not
  /// below the multiplier, which curves f along the face as much as U^H U does.
  std::optional<SmallOf<F>> preconditioner() const {
    const Index rank = u_.cols();
    if (rank == 1 || memory_.empty() || !is_rotation_invariant(set_)) return std::nullopt;
    SmallOf<F> k = gram(u_, u_);
    const Real size = std::real(k.trace());
    const Real multiplier = length_.normal / length_.u;
    const Real lambda =
        std::max({length_.r * std::sqrt(size), Real(1e-6) * size, multiplier * size});
    k.diagonal().array() += lambda;
    return positive_inverse(k);
  }

  O& f_;
  const C& set_;
  LbfgsMemory<F> memory_;
  F u_, g_, r_, direction_, d_, normal_, next_, next_g_, next_r_, scratch_;
  struct {
    Real u, g, r, normal;
  } length_ = {};  ///< at this point, which every step asks for
  Real gamma_ = 1, reference_gamma_ = 1;
  Real least_residual_ = std::numeric_limits<Real>::infinity();
  int since_cut_ = long_ago;  ///< steps that were taken whole since one was cut
  int idle_ = 0;  ///< steps since the residual was last smaller, once f is lost in rounding
  double value_ = 0, change_ = std::numeric_limits<double>::infinity();
  bool at_u_ = true, line_ready_ = true, cut_ = false, blind_ = false;
  bool has_gradient_ = false;
};

}  // namespace projfgd

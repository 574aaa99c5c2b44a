#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/archive.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/line_search.hpp"
#include "projfgd/core/parts.hpp"

namespace projfgd {

namespace element {

/// p_0 + t p_1 + t^2 p_2
template <class R>
struct Parabola {
  R t;
  constexpr R operator()(R p0, R p1, R p2) const { return p0 + t * p1 + (t * t) * p2; }
};

}  // namespace element

/// f(X) = loss(A(X)): the objective of every job.
///
/// On a segment the predictions are a parabola, A((U+tD)(U+tD)^H) = p_0 + t p_1 + t^2 p_2 with
/// p_1 = 2 Re A(U D^H), so any line search costs one product, and none per trial step.
template <MeasurementOperator A, Loss L>
requires std::same_as<typename A::Values, typename L::Values>
class Composite {
 public:
  using Factor = typename A::Factor;
  using Values = typename A::Values;
  using Real = RealOf<Factor>;

  /// Keeps a reference to the operator, which must outlive the objective. Throws InputError unless
  /// the loss has one datum a measurement.
  Composite(const A& op, L loss) : operator_(op), loss_(std::move(loss)) {
    if (loss_.measurements() == op.measurements()) return;
    throw InputError("objective: found " + std::to_string(loss_.measurements()) +
                     " data, expected one for each of the " + std::to_string(op.measurements()) +
                     " measurements");
  }

  Index rows() const { return operator_.rows(); }
  Index measurements() const { return operator_.measurements(); }

  /// The remembered point and the one before it; weights follow from them.
  void keep(Archive& archive) {
    keep_values(loss_, archive, p_);
    keep_values(loss_, archive, before_);
    if (archive.reads()) weights_current_ = false;
  }

  double at(const Factor& u) {
    std::swap(p_, before_);
    operator_.forward(u, p_);
    return arrive();
  }

  void gradient_times(const Factor& v, Factor& g) {
    if (!weights_current_) loss_.gradient(p_, w_);
    weights_current_ = true;
    operator_.adjoint_times(w_, v, g);
  }

  /// g = -grad f(0) v, or what stands in for it where loss'(0) is infinite.
  void start_times(const Factor& v, Factor& g) {
    loss_.start_weights(w_);
    weights_current_ = false;
    operator_.adjoint_times(w_, v, g);
  }

  /// Prepares the segment from U to U + D; at(U) and at(U + D) were the last two calls.
  void line(const Factor& u, const Factor& d) {
    operator_.forward(u, d, p1_);
    scale(2, p1_);
    subtract(p_, before_, p2_);
    axpy(-1, p1_, p2_);
  }

  double line_minimum(double longest) {
    if constexpr (QuadraticLoss<L>) {
      if (is_quadratic(loss_)) {
        loss_.gradient(before_, w_);
        weights_current_ = false;
        Quartic q;  // w_ = W (p_0 - y), so the linear terms are plain dot products with it
        q.c[1] = product(loss_, w_, p1_);
        q.c[2] = product(loss_, w_, p2_) + loss_.inner(p1_, p1_) / 2;
        q.c[3] = loss_.inner(p1_, p2_);
        q.c[4] = loss_.inner(p2_, p2_) / 2;
        return minimiser(q, longest);
      }
    }
    return first_zero([this](double t) { return slope(t); }, 1.0, longest);
  }

  double move_on_line(double t) {
    place_on_line(t);
    return arrive();
  }

  /// f(t X), X the remembered point, which it stays. Costs no product.
  double on_ray(double t) {
    before_ = p_;
    scale(static_cast<Real>(t), before_);
    return loss_.value(before_);
  }

  /// The t > 0 that makes f(t X) smallest, X the remembered point; 0 where f(X) is infinite. Costs
  /// no product.
  double scale_minimum() {
    if constexpr (QuadraticLoss<L>) {
      if (is_quadratic(loss_)) {
        loss_.start_weights(w_);
        weights_current_ = false;
        return product(loss_, w_, p_) / loss_.inner(p_, p_);
      }
    }
    if (!std::isfinite(loss_.value(p_))) return 0;
    set_zero(p_.size(), before_);
    p1_ = p_;
    p2_ = before_;
    const double t = first_zero([this](double s) { return slope(s); }, 1.0,
                                std::numeric_limits<double>::infinity());
    place_on_line(1);
    return t;
  }

 private:
  double arrive() {
    weights_current_ = false;
    return loss_.value(p_);
  }

  void place_on_line(double t) {
    map_values(p_, element::Parabola<Real>{static_cast<Real>(t)}, before_, p1_, p2_);
  }

  /// d/dt f(U + t D); not a number outside the loss's domain.
  double slope(double t) {
    place_on_line(t);
    weights_current_ = false;
    if (!std::isfinite(static_cast<double>(loss_.value(p_)))) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    loss_.gradient(p_, w_);
    return product(loss_, w_, p1_) + 2 * t * product(loss_, w_, p2_);
  }

  const A& operator_;
  L loss_;
  Values p_, before_, p1_, p2_, w_;
  bool weights_current_ = false;
};

}  // namespace projfgd

// Singular value projection, and the loop it shares with its randomised form in rsvp.hpp.
#pragma once

#include <functional>
#include <limits>
#include <utility>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/gradient_step_map.hpp"

namespace projfgd {

/// Projected gradients in the space of matrices, X_+ = P(Y - mu A*(A(Y) - y)), where P keeps the r
/// largest eigenvalues and projects them onto {d >= 0, sum d <= tau} (Jain, Meka, Dhillon 2010).
///
/// Nothing is tuned. mu is the exact step along the gradient's part in the tangent space at X, as
/// in the normalised iterations of Tanner and Wei (2013). Y = X + beta (X - X_before) with the beta
/// that makes f(Y) smallest, which A(X) and A(X_before) give for free (Kyrillidis and Cevher,
/// 2014). A step that does not decrease f is taken again without momentum, then with half the mu.
/// `Leading` finds the r leading eigenpairs of a Hermitian map near those of a known factor, while
/// there is time.
template <MeasurementOperator A, class Leading, class Watcher>
class SvpSolver {
 public:
  using F = typename A::Factor;
  using Real = RealOf<F>;

  SvpSolver(const TraceProblem<A>& problem, Leading leading, const Options& options,
            Watcher& watcher)
      : problem_(problem), leading_(std::move(leading)), monitor_(options, watcher) {}

  Result<F> run(F start) {
    u_ = std::move(start);
    problem_.op.forward(u_, p_);
    before_ = u_;
    p_before_ = p_;
    value_ = problem_.value(p_);
    bool stop = monitor_.record(u_, value_, std::numeric_limits<double>::infinity());
    while (monitor_.goes_on(stop, u_, before_, p_, p_before_, recent_, value_, eigenproblems_,
                            leading_)) {
      if (!step()) {
        if (monitor_.in_time()) {
          monitor_.stop(Status::converged, "no further decrease in this precision");
        } else {
          monitor_.stop_early();
        }
        break;
      }
      const double length = relative_error(before_, u_);
      stop = monitor_.record(u_, value_, length, recent_.longest_with(length));
    }
    Result<F> out = monitor_.result(std::move(u_), value_);
    out.eigenproblems = eigenproblems_;
    return out;
  }

 private:
  bool step() {
    const double beta = extrapolation();
    if (beta > 0 && try_step(beta, tangent_step(beta))) return true;
    double mu = tangent_step(0);
    for (int attempt = 0; attempt < 30 && monitor_.in_time(); ++attempt, mu /= 2) {
      if (try_step(0, mu)) return true;
    }
    return false;
  }

  /// argmin over beta of f(X + beta (X - X_before))
  double extrapolation() const {
    const auto d = p_ - p_before_;
    const Real square = d.squaredNorm();
    return square > 0 ? -static_cast<double>((p_ - problem_.y).dot(d) / square) : 0;
  }

  /// Sets s = A(Y) - y; returns ||D||^2 / ||A(D)||^2 for D = Q W^H + W Q^H, the part of A*(s) in
  /// the tangent space at X, Q a basis of the columns of U.
  double tangent_step(double beta) {
    residual_ = p_ + Real(beta) * (p_ - p_before_) - problem_.y;
    q_ = u_;
    orthonormalise(q_);
    problem_.op.adjoint_times(residual_, q_, w_);
    w_ -= q_ * (gram(q_, w_) / Real(2));
    problem_.op.forward(w_, q_, image_);
    const double size = symmetric_product_norm(q_, w_), seen = 2 * image_.norm();
    return seen > 0 ? (size / seen) * (size / seen) : 1;
  }

  bool try_step(double beta, double mu) {
    ++eigenproblems_;
    const GradientStepMap<A> map{problem_.op, residual_, mu, u_, before_, beta};
    auto& pairs = leading_(map, u_, [this] { return monitor_.in_time(); });
    project_spectrum(problem_.trace, pairs.values);
    F next = factor_of(pairs.vectors, pairs.values);
    problem_.op.forward(next, image_);
    const double value = problem_.value(image_);
    if (!(value < value_)) return false;
    value_ = value;
    before_ = std::exchange(u_, std::move(next));
    std::swap(p_before_, p_);
    std::swap(p_, image_);
    return true;
  }

  const TraceProblem<A>& problem_;
  Leading leading_;
  Monitor<F, Watcher> monitor_;
  F u_, before_, q_, w_;
  Vector<Real> p_, p_before_, residual_, image_;
  RecentSteps recent_{StopWindow::svp};
  double value_ = 0;
  Index eigenproblems_ = 0;
};

/// The r leading eigenpairs to high accuracy.
template <Factor F>
struct ExactLeading {
  EigenOptions options;
  LargestEigenpairs<F> largest = {};

  void keep(Archive&) {}  // every search begins anew

  template <class Map>
  auto& operator()(const Map& map, const F& near, const std::function<bool()>& go_on) {
    EigenOptions timed = options;
    timed.go_on = go_on;
    return largest(map, near.cols(), timed, &near);
  }
};

/// SVP with exact eigenvectors from U_0 = start, whose columns set the rank.
template <MeasurementOperator A, class Watcher = NoObserver>
Result<typename A::Factor> svp(const TraceProblem<A>& problem, typename A::Factor start,
                               const Options& options = {}, Watcher watcher = {}) {
  validate(problem);
  validate(options);
  EigenOptions eigen;
  eigen.tolerance = 1e-9;  // exact, as far as any tolerance of a run can tell
  eigen.max_products = 500;
  eigen.seed = options.seed;
  return SvpSolver<A, ExactLeading<typename A::Factor>, Watcher>(problem, {eigen}, options, watcher)
      .run(std::move(start));
}

}  // namespace projfgd

#include "jobs/tomography/likelihood_range.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "jobs/tomography/white_part.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/solvers/projfgd.hpp"

namespace projfgd {
namespace {

constexpr double left_to_gain = 0.01;         // nats, at the end of a fit: half a percent of 1.92
constexpr double close = 0.1;                 // of the fall: the bound is off by the square of it
constexpr int most_solves = 8;                // for one end
constexpr double longest_leap = 8;            // of theta, from one solve to the next
constexpr Index most_rows_of_a_profile = 32;  // 5 qubits
constexpr double all_work = 1e11;             // multiplications of all ranges: minutes at most
constexpr double products_of_range = 400;     // with n columns, as seen

/// Half of what chi-square exceeds in 5 of 100 cases, by the cube of Wilson and Hilferty; for one
/// degree of freedom, where that is off by 2%, the exact number.
double half_chi_square(double freedom) {
  constexpr double one_side = 1.644854, of_one = 3.841459;
  if (freedom == 1) return of_one / 2;
  const double part = 2 / (9 * freedom);
  return freedom / 2 * std::pow(1 - part + one_side * std::sqrt(part), 3);
}

/// f(U U^H) + theta tr(O U U^H).
template <class S>
class TiltedObjective {
 public:
  using Factor = Matrix<S>;

  TiltedObjective(const Problem<S>& problem, const Matrix<S>& observable, double theta)
      : problem_(problem), tilt_(static_cast<RealOf<S>>(theta) * observable) {}

  Index rows() const { return problem_.op.rows(); }
  double at(const Factor& u) {
    problem_.op.forward(u, p_);
    problem_.loss.gradient(p_, w_);
    return problem_.loss.value(p_) + dot(u, Factor(tilt_ * u));
  }
  void gradient_times(const Factor& v, Factor& g) {
    problem_.op.adjoint_times(w_, v, g);
    g += tilt_ * v;
  }

 private:
  const Problem<S>& problem_;
  Factor tilt_;  // theta O
  Vector<RealOf<S>> p_, w_;
};

/// The Hermitian root of a state with a little white noise.
template <class S>
Matrix<S> root_of(const StateFactor& state) {
  const Index n = state.rows();
  StateFactor rho = (1 - white_at_start) * state * state.adjoint();
  rho.diagonal().array() += white_at_start / static_cast<double>(n);
  const HermitianEigen<std::complex<double>> eigen = hermitian_eigen(rho);
  return (eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal()).template cast<S>();
}

}  // namespace

template <class S>
LikelihoodRange<S>::LikelihoodRange(const StateModel<S>& model, const RunSettings& settings,
                                    const StateFactor& state, double times_noise)
    : model_(model),
      settings_(settings),
      states_(make_constraint<S>(parse_constraint("frobenius-sphere:1"), model.problem.op.rows())),
      times_noise_(times_noise) {
  const auto n = static_cast<double>(state.rows());
  const double work =
      products_of_range * n * n * static_cast<double>(model.problem.op.measurements());
  ranges_left_ = static_cast<int>(std::min(all_work / work, 1e6));
  best_ = fit(root_of<S>(state), Matrix<S>::Zero(state.rows(), state.rows()), 0);
}

template <class S>
bool LikelihoodRange<S>::is_possible(const StateModel<S>& model) {
  const bool of_trace = model.problem.only_trace || model.facts.set.name == "frobenius-sphere";
  const bool free = model.facts.level_of_counts.has_value();  // states times an intensity
  return model.facts.noise.likelihood && of_trace && !free &&
         model.problem.op.rows() <= most_rows_of_a_profile;
}

template <class S>
auto LikelihoodRange<S>::fit(const Matrix<S>& start, const Matrix<S>& observable,
                             double theta) const -> Point {
  TiltedObjective<S> f(model_.problem, observable, theta);
  Options options = options_of(settings_);
  options.least_gain = left_to_gain;
  options.keep_trace = false;
  Point found;
  found.factor = projfgd(f, states_, Start<Matrix<S>>{start, 0}, options).factor;
  Vector<RealOf<S>> p;
  model_.problem.op.forward(found.factor, p);
  found.likelihood = model_.problem.loss.value(p);
  return found;
}

template <class S>
double LikelihoodRange<S>::lowest(const Matrix<S>& observable, double fall) const {
  // Theta is the slope of the likelihood in tr(O rho) at the end: twice the fall over the half
  // width, which of a quantity that every setting measures is of the order of sqrt(fall / shots).
  double theta = 2 * std::sqrt(fall * std::max(model_.facts.shots_per_setting, 1.0));
  double bound = -1, miss = std::numeric_limits<double>::infinity();
  Matrix<S> u = best_.factor;
  for (int solve = 0; solve < most_solves && miss > close * fall; ++solve) {
    if (is_interrupted(settings_.interrupt)) break;
    const Point point = fit(u, observable, theta);
    const double rise = std::max(point.likelihood - best_.likelihood, 0.0);
    if (std::abs(rise - fall) < miss) {
      miss = std::abs(rise - fall);
      bound = dot(point.factor, Matrix<S>(observable * point.factor)) + (rise - fall) / theta;
    }
    theta *=
        std::clamp(std::sqrt(fall / std::max(rise, left_to_gain)), 1 / longest_leap, longest_leap);
    u = point.factor;
  }
  return bound;
}

template <class S>
std::optional<Interval> LikelihoodRange<S>::of(const Matrix<S>& observable, FittingStates states) {
  if (ranges_left_ <= 0 || is_interrupted(settings_.interrupt)) return std::nullopt;
  --ranges_left_;
  const double freedom =
      states == FittingStates::all ? std::max(model_.facts.noise.determined, 1.0) : 1;
  const double fall = half_chi_square(freedom) * times_noise_ * times_noise_;
  return Interval{lowest(observable, fall), -lowest(-observable, fall)};
}

template class LikelihoodRange<std::complex<float>>;
template class LikelihoodRange<std::complex<double>>;

}  // namespace projfgd

#include "projfgd/measures/state_evidence.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace projfgd {
namespace {

using std::numbers::pi;

/// The density of sqrt X at the eigenvalues y, |y| = 1, and what surrounds it. The lengths of U in
/// the eigenbasis of X are y, and the volume of the U with the same X is a product of y_i and of
/// (y_i + y_j)^2 over the pairs:
///   energy(y) = curvature |y^2 - peak|^2 / 2 - sum_i log y_i - 2 sum_{i<j} log (y_i + y_j).
class Roots {
 public:
  Roots(const Vector<double>& peak, double curvature, Index n)
      : peak_(peak), curvature_(curvature), others_(n - peak.size()) {}

  double energy(const Vector<double>& y) const {
    double sum = curvature_ / 2 * (y.cwiseAbs2() - peak_).squaredNorm();
    for (Index i = 0; i < y.size(); ++i) {
      sum -= std::log(y[i]);
      for (Index j = 0; j < i; ++j) sum -= 2 * std::log(y[i] + y[j]);
    }
    return sum;
  }

  Vector<double> gradient(const Vector<double>& y) const {
    Vector<double> out = 2 * curvature_ * y.cwiseProduct((y.cwiseAbs2() - peak_).eval());
    for (Index i = 0; i < y.size(); ++i) {
      for (Index j = 0; j < y.size(); ++j) out[i] -= 2 / (y[i] + y[j]);
    }
    return out;
  }

  /// The second derivative in y, its row and column for the multiplier of |y| = 1 below.
  Matrix<double> bordered(const Vector<double>& y, double multiplier) const {
    const Index r = y.size();
    Matrix<double> out = Matrix<double>::Zero(r + 1, r + 1);
    for (Index i = 0; i < r; ++i) {
      out(i, i) = 2 * curvature_ * (3 * y[i] * y[i] - peak_[i]) - 2 * multiplier;
      for (Index j = 0; j < r; ++j) {
        const double bend = 2 / std::pow(y[i] + y[j], 2);
        out(i, i) += bend;
        out(i, j) += bend;
      }
    }
    out.topRightCorner(r, 1) = y;
    out.bottomLeftCorner(1, r) = y.transpose();
    return out;
  }

  /// Of the multiplier, 2 of it being the slope along y.
  double multiplier(const Vector<double>& y) const { return gradient(y).dot(y) / (2 * y.dot(y)); }

  /// The logarithm of the determinant of the second derivative on all directions of U that change
  /// X and keep |U|: y itself, the angles between eigenvectors, and those with the other rows.
  double log_determinant(const Vector<double>& y) const {
    const double times = multiplier(y);
    double sum = Eigen::PartialPivLU<Matrix<double>>(bordered(y, times))
                     .matrixLU()
                     .diagonal()
                     .cwiseAbs()
                     .array()
                     .log()
                     .sum() -
                 2 * std::log(y.norm());
    const Vector<double> pull = curvature_ * (y.cwiseAbs2() - peak_);
    for (Index i = 0; i < y.size(); ++i) {
      for (Index j = 0; j < i; ++j) {
        double bend = 2 * curvature_ * std::pow(y[i] + y[j], 2) + 2 * (pull[i] + pull[j]);
        for (Index l = 0; l < y.size(); ++l) bend += 4 / ((y[i] + y[l]) * (y[j] + y[l]));
        sum += 2 * std::log(bend - 4 * times);
      }
      const double outwards = 2 * curvature_ * y[i] * y[i] - 2 * times;
      sum += 2 * static_cast<double>(others_) * std::log(outwards);
    }
    return sum;
  }

  /// By Newton's method from the likeliest state. A root stays positive: no step more than halves
  /// it.
  Vector<double> most_probable() const {
    constexpr int most_steps = 200;
    constexpr double found = 1e-10;  // of |y| = 1
    const double cut = height_of_trace_one();
    Vector<double> y = (peak_.array() - cut).cwiseMax(1 / std::sqrt(curvature_)).sqrt();
    y.normalize();
    double times = -curvature_ * cut;
    for (int step = 0; step < most_steps; ++step) {
      Vector<double> right(y.size() + 1);
      right.head(y.size()) = 2 * times * y - gradient(y);
      right[y.size()] = (1 - y.squaredNorm()) / 2;
      const Vector<double> move =
          Eigen::PartialPivLU<Matrix<double>>(bordered(y, times)).solve(right);
      const double falls = (-move.head(y.size())).cwiseQuotient(y).maxCoeff();
      const double share = falls > 0.5 ? 0.5 / falls : 1.0;
      y += share * move.head(y.size());
      times -= share * move[y.size()] / 2;  // the border is y, the slope of the constraint 2 y
      if (move.head(y.size()).norm() < found) break;
    }
    return y.normalized();
  }

  /// From the most probable roots to their mean: roots move to where the density is wider.
  Vector<double> mean(const Vector<double>& y) const {
    constexpr double step = 1e-4;  // of a root
    Vector<double> right = Vector<double>::Zero(y.size() + 1);
    for (Index i = 0; i < y.size(); ++i) {
      Vector<double> above = y, below = y;
      above[i] += step * y[i];
      below[i] -= step * y[i];
      right[i] = -(log_determinant(above) - log_determinant(below)) / (4 * step * y[i]);
    }
    const Vector<double> shift =
        Eigen::PartialPivLU<Matrix<double>>(bordered(y, multiplier(y))).solve(right);
    // To first order y + shift, and positive.
    return y.cwiseProduct(shift.head(y.size()).cwiseQuotient(y).array().exp().matrix())
        .normalized();
  }

 private:
  /// Where the peak is cut for what is above it to have trace one.
  double height_of_trace_one() const {
    double low = peak_.minCoeff() - 1, high = peak_.maxCoeff();
    for (double middle = (low + high) / 2; low < middle && middle < high;
         middle = (low + high) / 2) {
      ((peak_.array() - middle).cwiseMax(0).sum() > 1 ? low : high) = middle;
    }
    return low;
  }

  const Vector<double>& peak_;
  double curvature_;
  Index others_;
};

/// The logarithm of the volume of the unitary r x r matrices over that of the unit sphere of the n
/// x r matrices.
double log_share_of_unitary(Index n, Index r) {
  const auto rows = static_cast<double>(n), columns = static_cast<double>(r);
  double sum =
      columns * (columns + 1) / 2 * std::log(2 * pi) - columns * (columns - 1) / 2 * std::log(2);
  for (Index k = 1; k < r; ++k) sum -= std::lgamma(static_cast<double>(k + 1));
  return sum - std::log(2) - rows * columns * std::log(pi) + std::lgamma(rows * columns);
}

}  // namespace

WeighedStates weighed_states(const Vector<double>& peak, double curvature, Index n) {
  const Roots roots(peak, curvature, n);
  const Vector<double> y = roots.most_probable();
  const auto rows = static_cast<double>(n), columns = static_cast<double>(peak.size());
  const double directions = 2 * rows * columns - columns * columns - 1;
  return {log_share_of_unitary(n, peak.size()) - roots.energy(y) +
              directions / 2 * std::log(2 * pi) - roots.log_determinant(y) / 2,
          roots.mean(y).cwiseAbs2()};
}

}  // namespace projfgd

#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {

/// A(I/n), what white noise predicts: tr(A_i) / n, from products with columns of the identity. The
/// cost is that of one product with an n x n factor. An operator of probabilities in complete bases
/// has 1/n everywhere and needs no such product.
template <MeasurementOperator A>
Vector<RealOf<typename A::Factor>> white_predictions(const A& op) {
  using F = typename A::Factor;
  using Real = RealOf<F>;
  constexpr Index block = 64;  // columns at once: bounds the memory at n x 64
  const Index n = op.rows();
  Vector<Real> sum = Vector<Real>::Zero(op.measurements()), part;
  for (Index first = 0; first < n; first += block) {
    const Index count = std::min(block, n - first);
    F columns = F::Zero(n, count);
    columns.middleRows(first, count).setIdentity();
    op.forward(columns, part);
    sum += part;
  }
  return sum / static_cast<Real>(n);
}

/// An operator on rho = U U^H + |s|^2 I/n, for states with white noise of weight |s|^2: devices add
/// noise that is nearly white, and one parameter describes it where a low rank cannot.
///
/// Its factor V has n + 1 rows, those of U and below them the row s, so that V V^H has the diagonal
/// blocks U U^H and |s|^2; the measurement A_i (+) tr(A_i)/n sees these two and nothing else:
///   forward   A(U U^H) + |s|^2 A(I/n),
///   adjoint   A*(w) U, and below it the row <w, A(I/n)> s.
/// ||V||_F^2 is the trace of rho, so sets on the trace, starts and solvers work as they are. A row
/// s = 0 never moves: starts come from with_white_noise().
/// One thread at a time: it keeps its work space.
template <MeasurementOperator A>
class WhiteNoiseOperator {
 public:
  using Factor = typename A::Factor;
  using Real = RealOf<Factor>;
  using Values = typename A::Values;

  /// `white` is A(I/n).
  WhiteNoiseOperator(A op, Vector<Real> white)
      : operator_(std::move(op)), white_(std::move(white)) {
    require_size("predictions of white noise", white_.size(), operator_.measurements());
  }
  explicit WhiteNoiseOperator(A op) : WhiteNoiseOperator(op, white_predictions(op)) {}

  Index rows() const { return operator_.rows() + 1; }
  Index measurements() const { return operator_.measurements(); }
  void forward(const Factor& v, Vector<Real>& y) const {
    require_factor(v, rows());
    low_rank_ = v.topRows(rows() - 1);
    operator_.forward(low_rank_, y);
    y += v.row(rows() - 1).squaredNorm() * white_;
  }
  void forward(const Factor& v, const Factor& d, Vector<Real>& y) const {
    require_factors(v, d, rows());
    low_rank_ = v.topRows(rows() - 1);
    direction_ = d.topRows(rows() - 1);
    operator_.forward(low_rank_, direction_, y);
    y += std::real(d.row(rows() - 1).dot(v.row(rows() - 1))) * white_;
  }
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
    require_weights(w, measurements(), v, rows());
    low_rank_ = v.topRows(rows() - 1);
    operator_.adjoint_times(w, low_rank_, direction_);
    g.resize(v.rows(), v.cols());
    g.topRows(rows() - 1) = direction_;
    g.row(rows() - 1) = w.dot(white_) * v.row(rows() - 1);
  }

 private:
  A operator_;
  Vector<Real> white_;                   // A(I/n)
  mutable Factor low_rank_, direction_;  // without the last row
};

/// A factor for WhiteNoiseOperator that has U for its low-rank part and white noise of this share
/// of the trace, 0 <= share <= 1; the trace stays that of U U^H.
template <class S>
Matrix<S> with_white_noise(const Matrix<S>& u, double share) {
  using Real = RealOf<S>;
  const Index n = u.rows(), columns = u.cols();
  Matrix<S> v(n + 1, columns);
  v.topRows(n) = static_cast<Real>(std::sqrt(1 - share)) * u;
  const double entry = norm(u) * std::sqrt(share / static_cast<double>(columns));
  v.row(n).setConstant(static_cast<Real>(entry));
  return v;
}

/// The two parts of such a factor: U, and |s|^2.
template <class S>
Matrix<S> low_rank_part(const Matrix<S>& v) {
  return v.topRows(v.rows() - 1);
}
template <class S>
double white_weight(const Matrix<S>& v) {
  return static_cast<double>(v.row(v.rows() - 1).squaredNorm());
}

}  // namespace projfgd

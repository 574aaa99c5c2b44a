#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/require.hpp"

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

/// The rows of a factor without its last one, and that; and the other way. A kind of factor may
/// have its own.
template <class S>
void split_last_row(const Matrix<S>& v, Matrix<S>& top, Matrix<S>& last) {
  top = v.topRows(v.rows() - 1);
  last = v.bottomRows(1);
}
template <class S>
void put_last_row(const Matrix<S>& top, const Matrix<S>& last, Matrix<S>& out) {
  out.resize(top.rows() + 1, top.cols());
  out.topRows(top.rows()) = top;
  out.bottomRows(1) = last;
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
  WhiteNoiseOperator(A op, Values white) : operator_(std::move(op)), white_(std::move(white)) {
    require_size("predictions of white noise", white_.size(), operator_.measurements());
  }
  explicit WhiteNoiseOperator(A op) : WhiteNoiseOperator(op, white_predictions(op)) {}

  Index rows() const { return operator_.rows() + 1; }
  Index measurements() const { return operator_.measurements(); }
  void forward(const Factor& v, Values& y) const {
    require_size("rows of the factor", v.rows(), rows());
    split_last_row(v, low_rank_, last_);
    operator_.forward(low_rank_, y);
    axpy(last_.squaredNorm(), white_, y);
  }
  void forward(const Factor& v, const Factor& d, Values& y) const {
    require_size("rows of the factor", v.rows(), rows());
    require_size("rows of the direction", d.rows(), rows());
    require_size("columns of the direction", d.cols(), v.cols());
    split_last_row(v, low_rank_, last_);
    split_last_row(d, direction_, other_last_);
    operator_.forward(low_rank_, direction_, y);
    axpy(std::real(last_.conjugate().cwiseProduct(other_last_).sum()), white_, y);
  }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    require_size("weights", w.size(), measurements());
    require_size("rows of the factor", v.rows(), rows());
    split_last_row(v, low_rank_, last_);
    operator_.adjoint_times(w, low_rank_, direction_);
    last_ *= dot(w, white_);
    put_last_row(direction_, last_, g);
  }

 private:
  using Small = Matrix<typename Factor::Scalar>;

  A operator_;
  Values white_;                         // A(I/n)
  mutable Factor low_rank_, direction_;  // without the last row
  mutable Small last_, other_last_;      // that row
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

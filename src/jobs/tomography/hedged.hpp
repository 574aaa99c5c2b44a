#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/any.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {

/// loss(A(X)) - 1/2 log det X for factors of full rank: the likelihood of a state with a prior that
/// keeps eigenvalues away from 0, where the plain maximum puts those that the data do not show
/// (Blume-Kohout, PRL 105 (2010)).
template <class S>
class HedgedObjective {
 public:
  using Factor = Matrix<S>;

  HedgedObjective(AnyOperator<S> op, AnyLoss<RealOf<S>> loss)
      : operator_(std::move(op)), loss_(std::move(loss)) {}

  Index rows() const { return operator_.rows(); }
  double at(const Factor& u) {
    const HermitianEigen<S> eigen = hermitian_eigen<S>(u * u.adjoint());
    if (!(eigen.values[0] > 0)) return std::numeric_limits<double>::infinity();
    inverse_ = eigen.vectors * eigen.values.cwiseInverse().asDiagonal() * eigen.vectors.adjoint();
    operator_.forward(u, p_);
    loss_.gradient(p_, w_);
    return loss_.value(p_) - strength * static_cast<double>(eigen.values.array().log().sum());
  }
  void gradient_times(const Factor& v, Factor& g) {
    operator_.adjoint_times(w_, v, g);
    g -= static_cast<RealOf<S>>(strength) * (inverse_ * v);
  }

 private:
  static constexpr double strength = 0.5;

  AnyOperator<S> operator_;
  AnyLoss<RealOf<S>> loss_;
  Vector<RealOf<S>> p_, w_;
  Factor inverse_;  // of X
};

}  // namespace projfgd

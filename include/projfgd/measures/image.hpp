// How near an image is to the truth. Intensities do not see a global phase, so each column (each
// channel) is compared after the best turn of its own.
#pragma once

#include <cmath>
#include <complex>

#include "projfgd/concepts.hpp"
#include "projfgd/core/parts.hpp"
#include "projfgd/core/phase_elements.hpp"
#include "projfgd/measures/distance.hpp"

namespace projfgd {

/// In double precision, where the squares of single numbers do not overflow.
template <class Derived>
auto wide(const Eigen::MatrixBase<Derived>& z) {
  return z.template cast<std::complex<double>>();
}

/// z with each column turned to lie nearest to that of x.
template <class S>
Matrix<S> aligned(const Matrix<S>& z, const Matrix<S>& truth) {
  Matrix<S> turned = z;
  for (Index c = 0; c < z.cols(); ++c) {
    turned.col(c) *= S(phase(std::complex<double>(wide(z.col(c)).dot(wide(truth.col(c))))));
  }
  return turned;
}

/// min over phases of ||z e^{i phi} - x||_F.
template <class S>
double aligned_distance(const Matrix<S>& z, const Matrix<S>& truth) {
  return wide(aligned(z, truth) - truth).norm();
}

/// That distance over ||x||_F.
template <class S>
double aligned_error(const Matrix<S>& z, const Matrix<S>& truth) {
  return aligned_distance(z, truth) / wide(truth).norm();
}

/// The same for one column that lives elsewhere: ||z||^2 and ||x||^2 alone would cancel.
template <Factor F>
double aligned_error(const F& z, const F& truth) {
  F turned;
  const auto overlap = gram(z, truth);
  multiply(z, SmallOf<F>(SmallOf<F>::Constant(1, 1, phase(overlap(0, 0)))), turned);
  axpy(-1, truth, turned);
  return static_cast<double>(norm(turned)) / static_cast<double>(norm(truth));
}

/// Peak signal to noise ratio in decibel: 20 log10(max |x| / root mean square distance).
template <class S>
double psnr(const Matrix<S>& z, const Matrix<S>& truth) {
  return 20 * std::log10(static_cast<double>(truth.cwiseAbs().maxCoeff()) *
                         std::sqrt(static_cast<double>(truth.size())) / aligned_distance(z, truth));
}

/// 1/2 || |A z| - b ||^2
template <LinearMeasurement A>
double amplitude_objective(const A& op, const typename A::Values& amplitude,
                           const typename A::Factor& z) {
  return op.apply(z, element::AmplitudeMisfit{}, amplitude);
}

/// The same, and predicted = |A z|.
template <LinearMeasurement A>
double amplitude_objective(const A& op, const typename A::Values& amplitude,
                           const typename A::Factor& z, typename A::Values& predicted) {
  set_zero(op.measurements(), predicted);
  const double objective = op.apply(z, element::StoreModulus{}, amplitude, predicted);
  complete_rows(op, predicted);
  return objective;
}

/// || |A z| - b || / ||b||: which part of the amplitudes an answer leaves unexplained.
template <Values V>
double amplitude_misfit(double objective, const V& amplitude) {
  return std::sqrt(2 * objective) / static_cast<double>(norm(amplitude));
}

}  // namespace projfgd

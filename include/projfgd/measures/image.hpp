// How near an image is to the truth. Intensities do not see a global phase, so each column (each
// channel) is compared after the best turn of its own.
#pragma once

#include <cmath>
#include <complex>

#include "projfgd/concepts.hpp"
#include "projfgd/core/phase.hpp"
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

/// Peak signal to noise ratio in decibel: 20 log10(max |x| / root mean square distance).
template <class S>
double psnr(const Matrix<S>& z, const Matrix<S>& truth) {
  return 20 * std::log10(static_cast<double>(truth.cwiseAbs().maxCoeff()) *
                         std::sqrt(static_cast<double>(truth.size())) / aligned_distance(z, truth));
}

/// Looks at nothing.
inline constexpr auto not_looking = [](Index, double) {};

/// 1/2 || |A z| - b ||^2. `look(i, |a_i^H z|)` sees every i once, in any order and on any thread.
template <LinearMeasurement A, class Look = decltype(not_looking)>
double amplitude_objective(const A& op, const Vector<RealOf<typename A::Factor>>& amplitude,
                           const typename A::Factor& z, const Look& look = not_looking) {
  using S = typename A::Factor::Scalar;
  return op.apply(z, [&](Index begin, Index count, S* v) {
    double sum = 0;
    for (Index i = 0; i < count; ++i) {
      const double modulus = std::abs(v[i]), r = modulus - amplitude[begin + i];
      look(begin + i, modulus);
      sum += r * r / 2;
    }
    return sum;
  });
}

/// || |A z| - b || / ||b||: which part of the amplitudes an answer leaves unexplained.
template <class R>
double amplitude_misfit(double objective, const Vector<R>& amplitude) {
  return std::sqrt(2 * objective) / static_cast<double>(amplitude.norm());
}

}  // namespace projfgd

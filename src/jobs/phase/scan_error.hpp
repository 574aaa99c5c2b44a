// How far the object of a scan is from a known truth.
#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <complex>

#include "projfgd/measures/image.hpp"

namespace projfgd {

/// Turns an image by the linear phase that brings it nearest to another: first by the mean slope
/// between neighbours, then by least squares of the phases that are left.
inline void remove_ramp(const Matrix<std::complex<double>>& wanted, Index width,
                        Matrix<std::complex<double>>& found) {
  using Complex = std::complex<double>;
  using Line = Eigen::Vector3d;  // a phase, and its slopes down and across
  const auto turn = [&](Index k) { return wanted(k, 0) * std::conj(found(k, 0)); };
  const auto place = [&](Index k) { return Line(1, double(k / width), double(k % width)); };
  const auto apply = [&](const Line& line) {
    for (Index k = 0; k < found.rows(); ++k) found(k, 0) *= std::polar(1.0, line.dot(place(k)));
  };
  const auto mean_slope = [&](Index step) {
    Complex sum = 0;
    for (Index k = 0; k + step < found.rows(); ++k) sum += turn(k + step) * std::conj(turn(k));
    return std::arg(sum);
  };
  apply({0, mean_slope(width), mean_slope(1)});
  Complex mean = 0;
  for (Index k = 0; k < found.rows(); ++k) mean += turn(k);
  apply({std::arg(mean), 0, 0});
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Line right = Line::Zero();
  for (Index k = 0; k < found.rows(); ++k) {
    const double weight = std::abs(turn(k));
    if (weight == 0) continue;
    normal += weight * place(k) * place(k).transpose();
    right += weight * std::arg(turn(k)) * place(k);
  }
  const Line line = normal.ldlt().solve(right);
  if (line.allFinite()) apply(line);
}

/// The object turned to lie nearest to the truth where `lit` is not 0. A probe that is refined too
/// leaves the scale and a linear phase open.
template <class S>
double scan_error(const Matrix<S>& z, const Matrix<S>& truth, const Matrix<double>& lit,
                  Index width, bool refined) {
  using Complex = std::complex<double>;
  Matrix<Complex> found = wide(z).cwiseProduct(lit.cast<Complex>());
  const Matrix<Complex> wanted = wide(truth).cwiseProduct(lit.cast<Complex>());
  if (refined) {
    remove_ramp(wanted, width, found);
    found *= found.col(0).dot(wanted.col(0)) / found.squaredNorm();
  }
  return aligned_error(found, wanted);
}

}  // namespace projfgd

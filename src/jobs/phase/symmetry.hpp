// Images that have the same intensities, and how an answer is told from the truth by one of them.
#pragma once

#include <optional>
#include <string>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// An image with the same open pattern as another: shifted, or its twin conj(x(-p)).
struct Symmetry {
  bool twin = false;
  Index down = 0, right = 0;  ///< the cyclic shift
  double error = 0;           ///< relative, modulo a global phase, after it
  double unit = 1;            ///< what the answer was multiplied by before
};

/// The shift of the truth or of its twin that is nearest to z,
///
///   ||z - e^{i phi} T_s x||^2 = ||z||^2 + ||x||^2 - 2 |<T_s x, z>|,
///
/// over all s by one convolution each; of an answer that is the truth in another unit only then,
/// with the size of the truth.
template <class S>
Symmetry nearest_symmetry(const Matrix<S>& z, const Matrix<S>& truth, Index height, Index width);

/// Whether a support, of ones and zeros, is some shift of itself turned by 180 degrees.
template <class S>
bool is_own_twin(const Matrix<S>& support, Index height, Index width);

/// Whether neighbours in an image have opposite signs: the mean of Re conj(z_k) z_{k+1} over that
/// of |z_k|^2 is below -0.3 along rows and along columns. It is nearly 1 for smooth images, 0.5 for
/// small bright things on a dark ground, 0 within 1 / sqrt(n) where neighbours have nothing to do
/// with each other. It changes its sign where a checkerboard of signs is on the image, as patterns
/// leave it that begin with another frequency than was said: the ramp e^{i pi (1 - 1/N) k} of an
/// odd length N is as good as one.
template <class S>
bool alternates(const Matrix<S>& z, Index height, Index width);

/// The line that says so of an image or an object, with what it probably comes from.
std::string alternation_line(const char* of_what, const char* cause);

/// The line that says so, where a symmetry explains most of the error of an image of that size.
std::optional<std::string> symmetry_line(const Symmetry& symmetry, double error, Index height,
                                         Index width);

/// The line that says so, where the answer is the truth times a number other than 1.
template <class S>
std::optional<std::string> unit_line(const Matrix<S>& z, const Matrix<S>& truth, double error);

/// The line that says so, where the complex conjugate of the answer is the truth, all but.
template <class S>
std::optional<std::string> conjugate_line(const Matrix<S>& z, const Matrix<S>& truth, double error);

}  // namespace projfgd

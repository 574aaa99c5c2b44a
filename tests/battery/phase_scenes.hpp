// What the problems of the battery show: images, supports, masks, and their noisy patterns.
#pragma once

#include <complex>
#include <random>
#include <string>
#include <vector>

#include "battery/phase_problems.hpp"
#include "projfgd/core/factor.hpp"

namespace projfgd::battery {

using S = std::complex<double>;
using Generator = std::mt19937_64;

/// Random waves whose power falls with their frequency, from 0 to 1.
std::vector<double> smooth(Index height, Index width, double fall, Generator& random);
/// One of the recipe's pictures, or a drawn one.
std::vector<S> photograph(const Recipe& recipe, Index height, Index width, Generator& random);
/// 1 where the image may be: everywhere, in a quarter, or in a triangle in that.
std::vector<double> support_of(const std::string& shape, Index height, Index width);
std::vector<S> truth_of(const Recipe& recipe, const std::vector<double>& inside, Generator& random);
std::vector<S> masks_of(const Recipe& recipe, Generator& random);
Vector<double> intensities_of(const Recipe& recipe, const std::vector<S>& masks,
                              const Matrix<S>& image, Generator& random);
/// Moves the zero frequency of every pattern to the middle.
Vector<double> centred(const Vector<double>& y, Index height, Index width);

}  // namespace projfgd::battery

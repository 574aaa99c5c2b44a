// How large and how small measured numbers may be.
#pragma once

#include <string>

#include "projfgd/io/npy.hpp"

namespace projfgd {

/// Where the largest of some numbers must lie. Beyond it a run would find a wrong answer, or none,
/// and could not know.
struct MagnitudeRange {
  double least, most;
};

/// For numbers that are squared and multiplied by a third, as the data are in gradients. The cube
/// of the least is a normal number, above 2.2e-308 in double precision and above 1.2e-38 in single;
/// the square of the largest leaves room for sums below 1.8e308 and 3.4e38.
constexpr MagnitudeRange data_magnitudes(bool single) {
  return single ? MagnitudeRange{1e-12, 1e15} : MagnitudeRange{1e-100, 1e100};
}

/// For numbers of which four are multiplied, as those of a vector a are in <a a^H, X> a a^H. What
/// is too large shows in infinite numbers, and the run then says that it diverged.
constexpr MagnitudeRange vector_magnitudes(bool single) { return {single ? 1e-8 : 1e-70, 1e100}; }

/// For intensities, which are brought to the size of one, so that only the image, their root, must
/// be a normal number.
constexpr MagnitudeRange intensity_magnitudes(bool single) {
  return single ? MagnitudeRange{1e-60, 1e60} : data_magnitudes(false);
}

/// For a probe beside the roots of the intensities. Its square, that of an object as much smaller
/// or larger, and their sums over the frames must be normal numbers.
constexpr MagnitudeRange probe_magnitudes(bool single) {
  return single ? MagnitudeRange{1e-17, 1e17} : MagnitudeRange{1e-70, 1e70};
}

/// The largest absolute value of a number, or of a part of a complex one.
double largest(const Array& array);

/// Throws InputError naming `where` unless its number, the largest of them, is in the range or 0.
void require_magnitude(double found, MagnitudeRange range, const std::string& where,
                       const char* what = "largest number");

}  // namespace projfgd

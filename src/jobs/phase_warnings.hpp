// What a user should know before trusting an image.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "phase_data.hpp"
#include "projfgd/core/result.hpp"

namespace projfgd {

/// The largest share of the amplitudes that a good answer leaves unexplained.
inline constexpr double largest_phase_misfit = 0.15;
/// From this share on it is worth asking whether the data are what they are taken for.
inline constexpr double doubtful_phase_misfit = 0.05;

/// What a run says of its data and its answer.
struct PhaseOutcome {
  std::string method;
  std::string set = "none";  ///< that the method used
  bool support = false;      ///< it used one
  Index unknowns = 0;        ///< entries of the image
  Index measurements = 0;    ///< intensities of a channel
  Index blind = 0;           ///< see blind_pixels()
  Index dark = 0;            ///< entries inside the support that no mask ever lights
  double misfit = 0;         ///< share of the amplitudes left unexplained, not finite: no answer
  double growth = 2;         ///< see growth_of_errors()
  int attempts = 1;          ///< from how many starts it was sought
  bool amplitudes = false;   ///< the data seem to be amplitudes
  Status status = Status::converged;
};

/// The mean square of measured - predicted where the prediction is above its median over that where
/// it is below. The errors of a wrong model are in proportion to the amplitudes, 2 and more; those
/// that photons leave are the same for all, and those of a detector fall with the amplitude.
double growth_of_errors(const std::vector<double>& measured, const std::vector<double>& predicted);

/// Whether the answer may be taken for the image: a misfit that several starts did not bring down
/// counts for more, unless what is left of the amplitudes has the look of noise.
bool explains(const PhaseOutcome& outcome);

/// Whether data vary as the amplitudes of speckle do, <y^2> = 4 / pi <y>^2, and not as its
/// intensities, <y^2> = 2 <y>^2. So many of them were measured; the others are 0.
bool seem_amplitudes(const Eigen::Ref<const Vector<double>>& y, Index measured);

/// How many pixels of the detector seem to see nothing: those that are 0 in every pattern, more of
/// them than the other zeros make likely, where the intensities that the answer predicts are not
/// small.
Index blind_pixels(const PhaseData& data, const Eigen::Ref<const Vector<double>>& y,
                   const std::function<Vector<double>()>& predict);

/// One line each.
std::vector<std::string> phase_warnings(const PhaseData& data, const PhaseOutcome& outcome);

/// An image with the same open pattern as another: shifted, or its twin conj(x(-p)).
struct Symmetry {
  bool twin = false;
  Index down = 0, right = 0;  ///< the cyclic shift
  double error = 0;           ///< relative, modulo a global phase, after it
};

/// The shift of the truth or of its twin that is nearest to z,
///
///   ||z - e^{i phi} T_s x||^2 = ||z||^2 + ||x||^2 - 2 |<T_s x, z>|,
///
/// over all s by one convolution each.
template <class S>
Symmetry nearest_symmetry(const Matrix<S>& z, const Matrix<S>& truth, Index height, Index width);

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

// What an answer leaves of the data, and what the errors look like: noise, or a model that is
// wrong.
#pragma once

#include <vector>

#include "jobs/phase/data.hpp"

namespace projfgd {

using ConstAmplitudes = Eigen::Ref<const Vector<double>>;

/// Whether data vary as the amplitudes of speckle do, <y^2> = 4 / pi <y>^2, and not as its
/// intensities, <y^2> = 2 <y>^2. So many of them were measured; the others are 0.
bool seem_amplitudes(const Eigen::Ref<const Vector<double>>& y, Index measured);

/// How many pixels of the detector seem to see nothing: those that are 0 in every pattern, more of
/// them than the other zeros make likely, where the amplitudes that the answer predicts are not
/// small.
Index blind_pixels(const PhaseData& data, const ConstAmplitudes& measured,
                   const ConstAmplitudes& predicted);

/// || p_l - b_l || / || b_l || of every pattern l; 1 where there is light in the prediction alone.
std::vector<double> pattern_misfits(const ConstAmplitudes& measured,
                                    const ConstAmplitudes& predicted, Index patterns);

/// How many times as bright every pattern is as the answer says, s_l^2 with the s_l that bring
/// || b_l - s_l p_l || down, over their median. Empty unless such factors explain most of what is
/// left: then the patterns were exposed differently.
std::vector<double> differing_exposures(const ConstAmplitudes& measured,
                                        const ConstAmplitudes& predicted, Index patterns);

/// Whether hardly an intensity is near 0. Of speckle, whose intensities fall off as exp(-y / mean),
/// one in fifty is below a fiftieth of the mean.
bool has_background(const std::vector<double>& intensities);

/// What one photon is in the data: the least difference of two of them, or of one and 0, where all
/// that are small enough to tell are multiples of it; else 0.
double photon_unit(const std::vector<double>& intensities);

}  // namespace projfgd

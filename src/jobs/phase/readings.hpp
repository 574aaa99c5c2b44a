// Other readings of the data, to be tried where they do not fit as they were given.
#pragma once

#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// The same numbers understood in another way.
template <class R>
struct Reading {
  const char* words;  ///< what is wrong if this one fits, and what to do
  Vector<R> y;
};

/// What may be wrong with intensities of patterns of height x width: masks that should have been
/// conjugated, whose patterns are the mirror images y(-q) of those of the conjugate image; the zero
/// frequency in the middle; amplitudes instead of intensities.
struct PatternLayout {
  Index height = 1, width = 1;
  bool masks = true;        ///< without them a mirror image is the pattern of the twin
  bool conjugated = false;  ///< the masks that were given
  bool centred = false;     ///< the patterns were turned to begin with frequency 0
  /// Whether a checkerboard of signs, which is what wrong centring does to the image, is seen.
  bool signs_matter = true;
};

template <class R>
std::vector<Reading<R>> other_readings(const Vector<R>& y, const PatternLayout& layout);

}  // namespace projfgd

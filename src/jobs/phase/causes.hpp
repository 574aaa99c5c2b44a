// What may be wrong where an image does not explain its data.
#pragma once

#include <string>

#include "jobs/phase/warnings.hpp"

namespace projfgd {

/// Whether the set has real numbers alone.
bool is_real_set(const std::string& set);

/// Real numbers that an image of so many pixels in the set has free; 0 where the set does not tell.
Index free_numbers(const std::string& set, Index pixels);

/// What may be behind an answer that explains too little.
std::string likely_causes(const PhaseData& data, const PhaseOutcome& outcome);

/// The patterns that leave more than so many times what half of them leave, in words; empty: none.
std::string outstanding_patterns(const std::vector<double>& misfits, double far_more);

/// Fewer photons for each number of an image do not tell it from noise.
inline constexpr Index photons_a_number = 4;

/// Patterns do not differ by so much under noise.
inline constexpr double far_more_than_noise = 5;

}  // namespace projfgd

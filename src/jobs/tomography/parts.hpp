// Which measurements of a state each rank takes, and the data of these alone.
#pragma once

#include "projfgd/io/measurements.hpp"
#include "projfgd/operators/split.hpp"

namespace projfgd {

/// Strings of one x stay together, because their products share most of the work; so do the
/// outcomes of a setting.
Parts parts_of(const PauliData& data, const Ranks& ranks);
Parts parts_of(const CountsData& data, const Ranks& ranks);
Parts parts_of(const ProjectorData& data, const Ranks& ranks);
Parts parts_of(const SeenCounts& data, const Ranks& ranks);

/// The data of this rank.
PauliData part_of(const PauliData& data, const Parts& parts);
CountsData part_of(const CountsData& data, const Parts& parts);
ProjectorData part_of(const ProjectorData& data, const Parts& parts);
SeenCounts part_of(const SeenCounts& data, const Parts& parts);

}  // namespace projfgd

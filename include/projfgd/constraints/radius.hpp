#pragma once

namespace projfgd {

/// The radius, or InputError naming the set unless it is a number >= 0.
double checked_radius(double radius, const char* set);

}  // namespace projfgd

// Which devices there are. A library that was built without CUDA has none, and says so.
#pragma once

#include <string>

namespace projfgd::device {

/// What the library was built with: "CUDA 13.0", or empty.
std::string backend();

/// How many devices can be used; 0 where there is no driver, or nothing was built for one.
int count();
/// Why there are none, a sentence for a message.
std::string why_none();

std::string name(int index);
/// Makes all that follows use this one, 0 <= index < count().
void select(int index);
/// Bytes that the selected one has left.
double free_memory();

}  // namespace projfgd::device

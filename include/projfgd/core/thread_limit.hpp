#pragma once

namespace projfgd {

/// What set_threads() takes at most: more than the cores of any machine, and fewer threads than a
/// process may have.
inline constexpr int most_threads = 4096;

}  // namespace projfgd

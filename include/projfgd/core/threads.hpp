#pragma once

namespace projfgd {

/// Number of threads that operators and the factor algebra use; 0 asks for one per core.
/// Results do not depend on it. In the child of a fork it stays one.
void set_threads(int count);
int threads();

}  // namespace projfgd

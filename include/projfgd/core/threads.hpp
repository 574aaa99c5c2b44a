#pragma once

#include "projfgd/core/factor.hpp"
#include "projfgd/core/function_ref.hpp"

namespace projfgd {

/// Number of threads that operators and the factor algebra use when this thread calls them; 0 asks
/// for one per core. Results do not depend on it. In the child of a fork it stays one.
void set_threads(int count);
int threads();

/// Calls body(k) once for every k in [0, count), on up to threads() threads and in no certain
/// order. A loop inside a loop, or one that begins while another thread of the program runs one,
/// runs on the thread that began it. Rethrows one of the exceptions that calls ended with.
void parallel_for(Index count, FunctionRef<void(Index k)> body);

/// The same where the work is worth it; waking threads takes some ten microseconds.
inline void parallel_for_if(bool worth, Index count, FunctionRef<void(Index k)> body) {
  if (worth) return parallel_for(count, body);
  for (Index k = 0; k < count; ++k) body(k);
}

}  // namespace projfgd

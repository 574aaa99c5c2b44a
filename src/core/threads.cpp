#include "projfgd/core/threads.hpp"

#include <omp.h>

namespace projfgd {

void set_threads(int count) { omp_set_num_threads(count > 0 ? count : omp_get_num_procs()); }

int threads() { return omp_get_max_threads(); }

}  // namespace projfgd

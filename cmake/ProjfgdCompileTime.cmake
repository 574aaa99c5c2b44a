# What keeps the time to compile short.

# Precompiles headers of others that most sources of the target include. None of ours: a change of
# one would compile the whole target again. CMAKE_DISABLE_PRECOMPILE_HEADERS=ON does without.
function(projfgd_precompile target)
  target_precompile_headers(${target} PRIVATE <Eigen/Core> <fmt/format.h> <algorithm> <array>
    <cmath> <complex> <filesystem> <functional> <limits> <memory> <optional> <string> <string_view>
    <utility> <vector> ${ARGN})
  projfgd_let_ccache_precompile(${target})
endfunction()

# ccache keeps what was compiled with a precompiled header only with this option.
function(projfgd_let_ccache_precompile target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# For code that runs once and leaves the work to others.
function(projfgd_optimise_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

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

# Compiles several sources as one: what each of them instantiates of Eigen, JSON and fmt is then
# compiled once. Names in anonymous namespaces must differ within a batch; a local name that hides
# one of another source is no mistake. The sources that follow are compiled alone: kernels, whose
# loops the compiler should see by themselves, and what Highway includes once for every instruction
# set. CMAKE_UNITY_BUILD=OFF does without.
function(projfgd_compile_together target batch_size)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch_size})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-shadow -Wshadow=local>)
  endif()
endfunction()

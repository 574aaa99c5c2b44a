# What keeps the time to compile short.

# Precompiles headers of others that most sources of the target include, and the one that keeps them
# from compiling Eigen's products again and again. No other of ours: a change of one would compile the
# whole target again. CMAKE_DISABLE_PRECOMPILE_HEADERS=ON does without.
function(projfgd_precompile target)
  target_precompile_headers(${target} PRIVATE <Eigen/Core> <fmt/format.h> <algorithm> <array>
    <cmath> <complex> <filesystem> <functional> <limits> <memory> <optional> <string> <string_view>
    <utility> <vector> ${ARGN} ${PROJECT_SOURCE_DIR}/src/core/eigen_kernels.hpp)
  projfgd_compile_quickly(${target})
endfunction()

# The first option lets ccache keep what was compiled with a precompiled header. The second saves a
# tenth of the time: the compiler looks for memory to use again only from a gigabyte on.
function(projfgd_compile_quickly target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess;--param=ggc-min-heapsize=1048576>")
endfunction()

# For code that runs once and leaves the work to others.
function(projfgd_optimise_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Compiles the sources of a folder BATCH_SIZE at a time: what each of them instantiates of Eigen, JSON
# and fmt is then compiled once. Names in anonymous namespaces must differ within a folder; a local
# name that hides one of another source is no mistake. The sources that follow are compiled alone:
# kernels, whose loops the compiler should see by themselves, and what Highway includes once for every
# instruction set. CMAKE_UNITY_BUILD=OFF does without.
function(projfgd_compile_together target batch_size)
  if(DEFINED CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-shadow -Wshadow=local>)
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${ARGN})
  list(SORT sources)
  foreach(source IN LISTS sources)
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR batch "0${members_of_${folder}} / ${batch_size}")
    math(EXPR members_of_${folder} "0${members_of_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
endfunction()

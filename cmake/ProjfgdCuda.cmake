# NVIDIA GPUs. The kernels (src/device/*.cu) are one text for nvcc and for the host's compiler, with
# which the tests run them as loops. A library without CUDA has only a few functions that say so.
file(GLOB projfgd_device_kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/device/*.cu)

if(PROJFGD_CUDA OR PROJFGD_CHECK_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
endif()
if(PROJFGD_CUDA AND NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "PROJFGD_CUDA is ON, and nvcc was not found: install the CUDA toolkit, or set "
                      "CMAKE_CUDA_COMPILER to its nvcc")
elseif(PROJFGD_CHECK_CUDA AND NOT CMAKE_CUDA_COMPILER)
  message(STATUS "nvcc was not found: the CUDA sources are not compiled")
endif()

if(CMAKE_CUDA_COMPILER AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90-real)  # one, to see that it compiles
  if(PROJFGD_CUDA)
    # From the oldest that nvcc knows, sm_70 at least, to sm_90, and PTX for those after it.
    set(CMAKE_CUDA_ARCHITECTURES "")
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE listed)
    string(REGEX MATCHALL "compute_[0-9]+" listed "${listed}")
    foreach(architecture IN ITEMS 70 75 80 86 89 90)
      if("compute_${architecture}" IN_LIST listed)
        list(APPEND CMAKE_CUDA_ARCHITECTURES ${architecture}-real)
        set(newest ${architecture})
      endif()
    endforeach()
    list(APPEND CMAKE_CUDA_ARCHITECTURES ${newest}-virtual)
  endif()
endif()

# The kernels as objects of their own, for the library or for a look at whether they compile.
# relaxed-constexpr compiles our functions of an element, which are constexpr, for the device.
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # which CMake knows since version 3.26
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  add_library(projfgd_kernels OBJECT ${projfgd_device_kernels})
  target_include_directories(projfgd_kernels PRIVATE include src)
  target_include_directories(projfgd_kernels SYSTEM PRIVATE
    $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(projfgd_kernels
    PRIVATE EIGEN_NO_CUDA EIGEN_DONT_PARALLELIZE EIGEN_MAX_ALIGN_BYTES=64)
  target_compile_options(projfgd_kernels PRIVATE --expt-relaxed-constexpr)
endif()

# Of the sources of a list those for CUDA stay in it, or the one that knows no devices.
function(projfgd_choose_devices list without)
  set(chosen ${${list}})
  if(PROJFGD_CUDA)
    list(REMOVE_ITEM chosen ${CMAKE_CURRENT_SOURCE_DIR}/${without})
  else()
    foreach(with IN LISTS ARGN)
      list(REMOVE_ITEM chosen ${CMAKE_CURRENT_SOURCE_DIR}/${with})
    endforeach()
  endif()
  set(${list} ${chosen} PARENT_SCOPE)
endfunction()

# The kernels for the library, where it is built with CUDA.
function(projfgd_add_kernels target)
  if(PROJFGD_CUDA)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:projfgd_kernels>)
    target_link_libraries(${target} PRIVATE CUDA::cudart_static CUDA::cufft)
  endif()
endfunction()

# For machines that have nvcc and perhaps no GPU: the kernels are compiled and linked with all that
# they need. Nothing runs what comes out.
function(projfgd_check_cuda)
  if(PROJFGD_CUDA OR NOT PROJFGD_CHECK_CUDA OR NOT CMAKE_CUDA_COMPILER)
    return()
  endif()
  add_library(cuda_check SHARED $<TARGET_OBJECTS:projfgd_kernels> src/device/cuda_runtime.cpp
              src/device/cuda_fourier.cpp src/jobs/place/cuda_devices.cpp
              src/jobs/place/device_matrices.cpp src/jobs/place/device_patterns.cpp)
  target_include_directories(cuda_check PRIVATE src)
  target_link_libraries(cuda_check PRIVATE projfgd_jobs projfgd fmt::fmt CUDA::cudart_static
                        CUDA::cufft)
  target_link_options(cuda_check PRIVATE LINKER:--no-undefined)
  projfgd_set_warnings(cuda_check)
endfunction()

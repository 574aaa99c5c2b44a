# What the library stands on. All that is missing is told at once, with the packages that bring it.
find_package(Eigen3 3.4 QUIET NO_MODULE)
find_package(fmt QUIET)
find_package(nlohmann_json 3.10 QUIET)
find_package(Threads REQUIRED)
find_package(hwy QUIET)
find_package(PNG QUIET)
find_package(CLI11 QUIET)
find_package(HDF5 QUIET COMPONENTS C)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
find_path(FFTW_INCLUDE_DIR fftw3.h)
find_library(FFTW_DOUBLE_LIBRARY fftw3)
find_library(FFTW_SINGLE_LIBRARY fftw3f)
find_path(RE2_INCLUDE_DIR re2/re2.h)
find_library(RE2_LIBRARY re2)
# plotly.js draws the charts of reports (MIT licence). Packages differ in where they put it.
find_file(PLOTLY_JS NAMES plotly.min.js plotly.js
          PATHS /usr/share/python3-plotly /usr/lib/python3/dist-packages/plotly/package_data
                /usr/share/nodejs/plotly.js/dist /usr/share/javascript/plotly
          DOC "plotly.js, from Debian's python3-plotly or https://plotly.com/javascript")

set(missing "")
foreach(name IN ITEMS Eigen3 fmt nlohmann_json hwy PNG HDF5 RANDOM123_INCLUDE_DIR FFTW_INCLUDE_DIR
                      FFTW_DOUBLE_LIBRARY FFTW_SINGLE_LIBRARY RE2_INCLUDE_DIR RE2_LIBRARY PLOTLY_JS
                      CLI11)
  if(NOT ${name} AND NOT ${name}_FOUND AND (PROJFGD_BUILD_CLI OR NOT name STREQUAL "CLI11"))
    list(APPEND missing ${name})
  endif()
endforeach()
if(missing)
  # The one place that names the packages of the system.
  execute_process(COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/install-dependencies --list
                  OUTPUT_VARIABLE packages OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" " " packages "${packages}")
  list(JOIN missing ", " missing)
  message(FATAL_ERROR "not found: ${missing}\nOn Debian and Ubuntu this installs all that is needed:\n"
                      "  apt install ${packages}\n")
endif()

if(NOT TARGET hwy::hwy)
  add_library(hwy::hwy ALIAS hwy)
endif()

# Libraries without a CMake package of their own become interface targets, private to ours.
add_library(projfgd_random123 INTERFACE)
target_include_directories(projfgd_random123 SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR})

add_library(projfgd_fftw INTERFACE)
target_include_directories(projfgd_fftw SYSTEM INTERFACE ${FFTW_INCLUDE_DIR})
target_link_libraries(projfgd_fftw INTERFACE ${FFTW_DOUBLE_LIBRARY} ${FFTW_SINGLE_LIBRARY})

add_library(projfgd_re2 INTERFACE)
target_include_directories(projfgd_re2 SYSTEM INTERFACE ${RE2_INCLUDE_DIR})
target_link_libraries(projfgd_re2 INTERFACE ${RE2_LIBRARY})

include(ProjfgdStaticHdf5)
add_library(projfgd_hdf5 INTERFACE)
target_include_directories(projfgd_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(projfgd_hdf5 INTERFACE
  "$<BUILD_INTERFACE:${PROJFGD_HDF5_LIBRARIES}>" "$<INSTALL_INTERFACE:${HDF5_C_LIBRARIES}>")

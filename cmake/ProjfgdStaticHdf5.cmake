# PROJFGD_HDF5_LIBRARIES: what our programs link for HDF5.
#
# Debian's shared library loads some 40 others (curl, LDAP, Kerberos) for a driver that reads from
# the network. Of the static archive the linker takes only what is called, and nothing calls that
# driver. The archive is compiled for programs, not for shared libraries such as a Python module:
# it reads the variables stdout and stderr of libc directly, which only a program may. In our copy
# these are variables of src/io/hdf5.cpp.
set(PROJFGD_HDF5_LIBRARIES ${HDF5_C_LIBRARIES})
if(NOT PROJFGD_STATIC_HDF5 OR NOT CMAKE_OBJCOPY)
  return()
endif()
find_library(HDF5_ARCHIVE NAMES libhdf5_serial.a libhdf5.a)
find_library(SZIP_ARCHIVE libsz.a)
find_library(AEC_ARCHIVE libaec.a)
find_package(ZLIB)
if(NOT HDF5_ARCHIVE OR NOT SZIP_ARCHIVE OR NOT AEC_ARCHIVE OR NOT ZLIB_FOUND)
  return()
endif()
set(archive ${CMAKE_CURRENT_BINARY_DIR}/libhdf5_for_projfgd.a)
if(NOT EXISTS ${archive} OR ${HDF5_ARCHIVE} IS_NEWER_THAN ${archive})
  execute_process(COMMAND ${CMAKE_OBJCOPY} --redefine-sym stderr=projfgd_hdf5_stderr
                          --redefine-sym stdout=projfgd_hdf5_stdout ${HDF5_ARCHIVE} ${archive}
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
# Hidden, so that the HDF5 of another Python package in the same process is never mixed with ours.
set(libraries -Wl,--exclude-libs,libhdf5_for_projfgd.a ${archive} ${SZIP_ARCHIVE} ${AEC_ARCHIVE}
              ${ZLIB_LIBRARIES} ${CMAKE_DL_LIBS} m)
if(NOT DEFINED PROJFGD_STATIC_HDF5_LINKS)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/hdf5_links.c)
  file(WRITE ${source} "#include <hdf5.h>\n#include <stdio.h>\n"
    "__attribute__((visibility(\"hidden\"))) FILE *projfgd_hdf5_stderr, *projfgd_hdf5_stdout;\n"
    "hid_t open_file(const char* p) { return H5Fopen(p, H5F_ACC_RDONLY, H5P_DEFAULT); }\n")
  try_compile(PROJFGD_STATIC_HDF5_LINKS ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/hdf5_links ${source}
              CMAKE_FLAGS -DCMAKE_POSITION_INDEPENDENT_CODE=ON
                          "-DINCLUDE_DIRECTORIES=${HDF5_C_INCLUDE_DIRS}"
              LINK_OPTIONS -shared LINK_LIBRARIES ${libraries} OUTPUT_VARIABLE why)
  if(NOT PROJFGD_STATIC_HDF5_LINKS)
    message(STATUS "HDF5 is linked as a shared library: ${HDF5_ARCHIVE} does not link\n${why}")
  endif()
endif()
if(PROJFGD_STATIC_HDF5_LINKS)
  set(PROJFGD_HDF5_LIBRARIES ${libraries})
endif()

# cmake --install, and find_package(projfgd) for other projects.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/projfgd)
install(DIRECTORY include/projfgd DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(exported projfgd)
if(NOT BUILD_SHARED_LIBS)  # a static library passes its private dependencies on to the linker
  list(APPEND exported projfgd_random123 projfgd_fftw projfgd_hdf5)
endif()
install(TARGETS ${exported} EXPORT projfgdTargets)
install(EXPORT projfgdTargets NAMESPACE projfgd:: DESTINATION ${package_dir})
configure_package_config_file(cmake/projfgdConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/projfgdConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/projfgdConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/projfgdConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/projfgdConfigVersion.cmake DESTINATION ${package_dir})
if(PROJFGD_BUILD_CLI)
  install(TARGETS projfgd_cli)
endif()

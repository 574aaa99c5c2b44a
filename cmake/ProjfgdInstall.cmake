# cmake --install, and find_package(projfgd) for other projects.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/projfgd)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)
install(DIRECTORY include/projfgd DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(exported projfgd)
set(exported_jobs projfgd_jobs)
if(NOT BUILD_SHARED_LIBS)  # a static library passes its private dependencies on to the linker
  list(APPEND exported projfgd_random123 projfgd_fftw)
  list(APPEND exported_jobs projfgd_hdf5 projfgd_re2)
endif()
# A file of targets each: who wants only the first needs none of the second's dependencies.
install(TARGETS ${exported} EXPORT projfgdTargets)
install(TARGETS ${exported_jobs} EXPORT projfgdJobsTargets)
foreach(targets IN ITEMS projfgdTargets projfgdJobsTargets)
  install(EXPORT ${targets} NAMESPACE projfgd:: DESTINATION ${package_dir})
endforeach()
configure_package_config_file(cmake/projfgdConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/projfgdConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/projfgdConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/projfgdConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/projfgdConfigVersion.cmake DESTINATION ${package_dir})
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
if(PROJFGD_BUILD_CLI)
  install(TARGETS projfgd_cli)
  if(TARGET projfgd_mpi)
    install(TARGETS projfgd_mpi)
  endif()
  # The program writes its own manual page and completions, where shells look for them.
  function(projfgd_install_text file folder)
    set(path ${CMAKE_CURRENT_BINARY_DIR}/${folder}/${file})
    cmake_path(GET path PARENT_PATH parent)
    file(MAKE_DIRECTORY ${parent})
    add_custom_command(TARGET projfgd_cli POST_BUILD COMMAND projfgd_cli ${ARGN} > ${path})
    install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/${folder})
  endfunction()
  projfgd_install_text(projfgd.1 man/man1 man)
  projfgd_install_text(projfgd bash-completion/completions completion bash)
  projfgd_install_text(_projfgd zsh/site-functions completion zsh)
  projfgd_install_text(projfgd.fish fish/vendor_completions.d completion fish)
endif()

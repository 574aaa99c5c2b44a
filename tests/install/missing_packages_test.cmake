# Configures as on a machine without some of the libraries: all of them are named at once, and the
# packages that bring them.
#   cmake -Dsource=... -Dscratch=... -P missing_packages_test.cmake
file(REMOVE_RECURSE ${scratch})
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${source} -B ${scratch}
                        -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON
                RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
foreach(words IN ITEMS "not found: fmt, PNG" "apt install" libpng-dev libfmt-dev)
  string(FIND "${said}" "${words}" place)
  if(code EQUAL 0 OR place EQUAL -1)
    message(FATAL_ERROR "found exit code ${code} and\n${said}\nexpected \"${words}\" in it")
  endif()
endforeach()

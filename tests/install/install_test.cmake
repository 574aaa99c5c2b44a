# Installs the library into a scratch prefix, then configures, builds and runs a consumer against it.
# A request for a version we are not must fail.
#   cmake -Dbuild=... -Dsource=... -Dscratch=... -Dversion=... -Dconfig=... -P install_test.cmake
function(run expect)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(expect STREQUAL "fail" AND code EQUAL 0)
    message(FATAL_ERROR "expected to fail: ${ARGN}")
  elseif(expect STREQUAL "pass" AND NOT code EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${out}\n${err}")
  endif()
endfunction()

file(REMOVE_RECURSE ${scratch})
run(pass ${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix)
# Small problems, which take less time than the compiler.
set(configure ${CMAKE_COMMAND} -G Ninja -S ${source}/consumer -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" "-DCMAKE_CXX_FLAGS=${flags}"
    -DCMAKE_PREFIX_PATH=${scratch}/prefix)
run(fail ${configure} -B ${scratch}/wrong -Dwanted_version=99.0)
run(pass ${configure} -B ${scratch}/consumer -Dwanted_version=${version})
run(pass ${CMAKE_COMMAND} --build ${scratch}/consumer)
run(pass ${scratch}/consumer/consumer)
run(pass ${scratch}/consumer/own_place)
run(pass ${scratch}/consumer/jobs_consumer ${scratch}/data)
run(pass ${scratch}/consumer/README)
run(pass ${scratch}/consumer/own-objective)
if(EXISTS /proc/cpuinfo)  # a project with flags for its own machine
  file(STRINGS /proc/cpuinfo features REGEX "^flags" LIMIT_COUNT 1)
  if(features MATCHES " avx2 .*| avx2$" AND features MATCHES " fma ")
    run(pass ${configure} -B ${scratch}/tuned -Dwanted_version=${version}
        "-DCMAKE_CXX_FLAGS=${flags} -mavx2 -mfma")
    run(pass ${CMAKE_COMMAND} --build ${scratch}/tuned --target README)
    run(pass ${scratch}/tuned/README)
  endif()
endif()
if(EXISTS ${scratch}/prefix/bin/projfgd)
  run(pass ${scratch}/prefix/bin/projfgd --version)
  foreach(text IN ITEMS man/man1/projfgd.1 bash-completion/completions/projfgd
          zsh/site-functions/_projfgd fish/vendor_completions.d/projfgd.fish)
    file(SIZE ${scratch}/prefix/share/${text} bytes)
    if(bytes LESS 1000)
      message(FATAL_ERROR "${text} was installed with ${bytes} bytes")
    endif()
  endforeach()
endif()

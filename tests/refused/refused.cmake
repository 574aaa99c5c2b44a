# Compiles a source that misuses the library. The compiler must refuse it, and say why in few lines:
# its first line has the words to look for.
file(STRINGS ${source} first LIMIT_COUNT 1)
string(REGEX REPLACE "^// expects: " "" expected "${first}")
separate_arguments(includes UNIX_COMMAND "${includes}")
execute_process(COMMAND ${compiler} -std=c++20 -fsyntax-only ${includes} ${source}
                RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
if(code EQUAL 0)
  message(FATAL_ERROR "${source} compiles, expected an error")
endif()
string(FIND "${out}" "${expected}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "found\n${out}\nexpected \"${expected}\" in it")
endif()
string(REGEX MATCHALL "\n" lines "${out}")
list(LENGTH lines count)
if(count GREATER_EQUAL 40)
  message(FATAL_ERROR "found ${count} lines, expected fewer than 40:\n${out}")
endif()

# Files that travel inside the library: assembled with .incbin, so that megabytes cost no compile
# time. Each becomes two symbols, projfgd_asset_<name> and projfgd_asset_<name>_end.
enable_language(ASM)

function(projfgd_embed target)
  set(code "  .section .rodata\n")
  set(files "")
  while(ARGN)
    list(POP_FRONT ARGN name file)
    set(symbol projfgd_asset_${name})
    string(APPEND code "  .global ${symbol}, ${symbol}_end\n  .hidden ${symbol}, ${symbol}_end\n"
                       "${symbol}:\n  .incbin \"${file}\"\n${symbol}_end:\n  .byte 0\n")
    list(APPEND files ${file})
  endwhile()
  string(APPEND code "  .section .note.GNU-stack,\"\",%progbits\n")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/assets.s)
  file(CONFIGURE OUTPUT ${source} CONTENT "${code}" @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${source})
endfunction()

set(packed_plotly ${CMAKE_CURRENT_BINARY_DIR}/plotly.js.gz)
if(NOT EXISTS ${packed_plotly} OR ${PLOTLY_JS} IS_NEWER_THAN ${packed_plotly})
  file(ARCHIVE_CREATE OUTPUT ${packed_plotly} PATHS ${PLOTLY_JS}
       FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
endif()

projfgd_embed(projfgd_jobs
  plotly ${packed_plotly}
  report_css ${CMAKE_CURRENT_SOURCE_DIR}/src/io/report.css
  report_js ${CMAKE_CURRENT_SOURCE_DIR}/src/io/report.js)

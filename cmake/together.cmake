# SPDX-License-Identifier: Apache-2.0
# With TELLTALE_TOGETHER several files of a target are compiled as one: most of the compiler's time goes into headers. Off
# where one works: a file that forgets an include must not compile there, and a change compiles one file.
option(TELLTALE_TOGETHER "Compile several files at a time, for builds from nothing" OFF)

if(TELLTALE_TOGETHER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-subobject-linkage)  # takes what is included for a header
endif()

# telltale_compile_together(TARGET): groups the sources that it has, so that their names do not clash (groups.awk).
function(telltale_compile_together target)
  if(NOT TELLTALE_TOGETHER)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "^/")
  list(LENGTH sources count)
  # Two compilers are to be busy, also with a small module.
  math(EXPR size "(${count} + 3) / 4")
  if(size GREATER 12)
    set(size 12)
  endif()
  execute_process(COMMAND awk -v size=${size} -f ${CMAKE_SOURCE_DIR}/cmake/groups.awk ${sources}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" groups "${groups}")
  foreach(line ${groups})
    string(REPLACE " " ";" line ${line})
    list(GET line 0 group)
    list(GET line 1 source)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/groups.awk)
endfunction()

# SPDX-License-Identifier: Apache-2.0
# telltale_module(NAME DEPS module… LIBS library… SOURCES file… CHECKS file… TESTS file… FUZZERS file…)
# One static library `telltale_NAME` a module, one test program `NAME_test` of its *_test.cpp files, and
# for each *_fuzz.cpp file a libFuzzer program and one that replays its seeds (fuzz/corpus).
include(GoogleTest OPTIONAL)

function(telltale_module name)
  cmake_parse_arguments(arg "" "" "DEPS;LIBS;SOURCES;CHECKS;TESTS;FUZZERS" ${ARGN})
  add_library(telltale_${name} STATIC ${arg_SOURCES})
  set_target_properties(telltale_${name} PROPERTIES LINKER_LANGUAGE CXX)
  list(TRANSFORM arg_DEPS PREPEND telltale_)
  target_link_libraries(telltale_${name} PUBLIC ${arg_DEPS} ${arg_LIBS})

  # What tests and fuzzers share, compiled once.
  set(checks)
  if(arg_CHECKS AND (TELLTALE_TESTS OR TELLTALE_FUZZ))
    add_library(${name}_checks OBJECT ${arg_CHECKS})
    target_link_libraries(${name}_checks PRIVATE telltale_${name} simdjson::simdjson)
    target_compile_options(${name}_checks PRIVATE ${TELLTALE_TEST_FLAGS})
    set(checks $<TARGET_OBJECTS:${name}_checks>)
  endif()

  if(TELLTALE_TESTS AND arg_TESTS)
    add_executable(${name}_test ${arg_TESTS} ${checks})
    target_link_libraries(${name}_test PRIVATE telltale_${name} GTest::gtest GTest::gmock GTest::gtest_main
                                               simdjson::simdjson)
    target_compile_options(${name}_test PRIVATE ${TELLTALE_TEST_FLAGS})
    add_test(NAME ${name}_test COMMAND ${name}_test --gtest_brief=1)
    set_tests_properties(${name}_test PROPERTIES WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  endif()

  foreach(fuzzer ${arg_FUZZERS})
    get_filename_component(stem ${fuzzer} NAME_WE)
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR}/${fuzzer} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    set(target ${folder}_${stem})
    if(TELLTALE_FUZZ)
      add_executable(${target} ${fuzzer} ${checks})
      target_link_libraries(${target} PRIVATE telltale_${name} simdjson::simdjson)
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    endif()
    if(TELLTALE_TESTS)
      add_executable(${target}_replay ${fuzzer} ${checks} $<TARGET_OBJECTS:fuzz_replay>)
      target_link_libraries(${target}_replay PRIVATE telltale_${name} simdjson::simdjson)
      target_compile_options(${target}_replay PRIVATE ${TELLTALE_TEST_FLAGS})
      add_test(NAME ${target}_replay COMMAND ${target}_replay ${CMAKE_SOURCE_DIR}/fuzz/corpus/${target})
    endif()
  endforeach()
endfunction()

if(TELLTALE_TESTS)
  add_library(fuzz_replay OBJECT ${CMAKE_SOURCE_DIR}/fuzz/replay_main.cpp)
endif()

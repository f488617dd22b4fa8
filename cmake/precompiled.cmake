# SPDX-License-Identifier: Apache-2.0
# With TELLTALE_PRECOMPILE (clang only) the headers that most files include are compiled once for all modules, and once for
# all tests. Off where users build: a file that forgets an include must not compile there.
option(TELLTALE_PRECOMPILE "Precompile the headers that most files include" OFF)

# telltale_use_precompiled(TARGET library_headers|test_headers)
function(telltale_use_precompiled target headers)
  if(TELLTALE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

if(TELLTALE_PRECOMPILE)
  add_compile_options(SHELL:-Xclang -fno-pch-timestamp)  # for the compiler cache
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/empty.cpp CONTENT "")
  add_library(library_headers OBJECT ${CMAKE_BINARY_DIR}/empty.cpp)
  target_link_libraries(library_headers PRIVATE fmt::fmt)
  target_precompile_headers(library_headers PRIVATE
    <algorithm> <array> <charconv> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span>
    <string> <string_view> <tuple> <unordered_map> <utility> <vector> <fmt/format.h>)
  if(TELLTALE_TESTS)
    add_library(test_headers OBJECT ${CMAKE_BINARY_DIR}/empty.cpp)
    target_link_libraries(test_headers PRIVATE fmt::fmt GTest::gtest GTest::gmock)
    target_compile_options(test_headers PRIVATE ${TELLTALE_TEST_FLAGS})
    get_target_property(headers library_headers PRECOMPILE_HEADERS)
    target_precompile_headers(test_headers PRIVATE ${headers} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()

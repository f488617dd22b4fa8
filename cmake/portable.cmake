# SPDX-License-Identifier: Apache-2.0
# With TELLTALE_PORTABLE the program asks nothing of a machine but glibc 2.34 or newer: what the wheel and the tarball carry.
# Included before dependencies.cmake. Debian's static libraries are linked where there are such; {fmt} has none and is
# compiled here; ISA-L has none, and its shared library, which needs glibc alone, goes along as lib/telltale/libisal.so.2.
option(TELLTALE_PORTABLE "Link everything but glibc into the program" OFF)

if(TELLTALE_PORTABLE)
  set(ZLIB_USE_STATIC_LIBS ON)
  set(OPENSSL_USE_STATIC_LIBS ON)
  find_library(ZLIB_LIBRARY NAMES libz.a REQUIRED)
  find_library(SQLite3_LIBRARY NAMES libsqlite3.a REQUIRED)
  add_link_options(-static-libstdc++ -static-libgcc)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib/telltale")
  set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
endif()

# telltale_link_portably(TARGET): for each program and shared library that users get.
function(telltale_link_portably target)
  if(TELLTALE_PORTABLE)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/older_glibc.cpp)
  endif()
endfunction()

# telltale_fmt(): makes fmt::fmt of the library's headers.
function(telltale_fmt)
  add_library(telltale_fmt STATIC ${CMAKE_SOURCE_DIR}/cmake/fmt_library.cpp)
  # What Debian's own target defines: so the compiler cache finds what other presets compiled.
  target_compile_definitions(telltale_fmt PUBLIC FMT_SHARED)
  target_compile_options(telltale_fmt PRIVATE -w)
  add_library(fmt::fmt ALIAS telltale_fmt)
endfunction()

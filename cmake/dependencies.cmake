# SPDX-License-Identifier: Apache-2.0
# Third-party libraries as imported targets. Versions, licences and reasons: THIRD_PARTY.md.
find_package(Threads REQUIRED)
if(TELLTALE_PORTABLE)
  telltale_fmt()
else()
  find_package(fmt REQUIRED)
endif()
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
if(TELLTALE_PORTABLE)
  find_library(ZSTD_STATIC NAMES libzstd.a REQUIRED)
  set_property(TARGET PkgConfig::zstd PROPERTY INTERFACE_LINK_LIBRARIES ${ZSTD_STATIC})
endif()
find_package(OpenSSL REQUIRED)
find_package(Boost 1.81 REQUIRED)  # headers only: Beast and Asio
find_path(TL_EXPECTED_INCLUDE tl/expected.hpp REQUIRED)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
find_path(RE2_INCLUDE re2/re2.h REQUIRED)
find_library(RE2_LIBRARY NAMES libre2.a REQUIRED)  # the shared one hides its hooks

# ISA-L inflates gzip about three times as fast as zlib; zlib is the fallback where ISA-L is not packaged.
find_library(ISAL_LIBRARY isal)
find_path(ISAL_INCLUDE isa-l.h)
if(ISAL_LIBRARY AND ISAL_INCLUDE)
  set(TELLTALE_HAVE_ISAL 1)
else()
  set(TELLTALE_HAVE_ISAL 0)
  message(STATUS "ISA-L not found: gzip is read with zlib (slower)")
endif()

if(TELLTALE_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TELLTALE_TESTS OR TELLTALE_TOOLS OR TELLTALE_FUZZ)
  find_package(simdjson REQUIRED)  # oracle and yardstick only: the product does not link it
endif()

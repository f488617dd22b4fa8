# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where besides the program (src/cli), and what CPack packs: a .deb and a
# .tar.gz.
include(GNUInstallDirs)
# Installing and packing need the program, not the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
install(FILES README.md CHANGELOG.md LICENSE THIRD_PARTY.md cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Debian has no static ISA-L: its shared one, which needs glibc alone, stands beside the program that is to need nothing else.
if(TELLTALE_PORTABLE AND TELLTALE_HAVE_ISAL)
  file(REAL_PATH ${ISAL_LIBRARY} isal)
  install(FILES ${isal} DESTINATION lib/telltale RENAME libisal.so.2)
endif()

# What --help says, as manual pages, and the changelog as Debian wants it; made in place, so that an installation by root
# leaves nothing in the build folder.
set(prefix "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}")
install(CODE "
  execute_process(COMMAND \"${CMAKE_SOURCE_DIR}/scripts/man_pages\" \"$<TARGET_FILE:telltale>\"
                          \"${prefix}/${CMAKE_INSTALL_MANDIR}/man1\"
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND gzip -9nc \"${CMAKE_SOURCE_DIR}/CHANGELOG.md\"
                  OUTPUT_FILE \"${prefix}/${CMAKE_INSTALL_DOCDIR}/changelog.gz\"
                  COMMAND_ERROR_IS_FATAL ANY)")

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME telltale)
set(CPACK_PACKAGE_VENDOR "The Telltale authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Shows why a training run is slow, from its profiler trace")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Reads what profilers write of a training (PyTorch, Kineto, Perfetto, Python,
samplers) and says what the time went into and what to do about it: in the
terminal, in the browser, as JSON, CSV or SQL. Plain, gzip or zstd; a file, a
folder of ranks, or standard input.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Telltale authors")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)

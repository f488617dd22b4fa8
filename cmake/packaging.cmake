# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where besides the program (src/cli), and what CPack packs: a .deb and a
# .tar.gz.
include(GNUInstallDirs)
# Installing and packing need the program, not the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
install(FILES README.md CHANGELOG.md LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/docs)
  install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")
endif()

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME telltale)
set(CPACK_PACKAGE_VENDOR "The Telltale authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Shows why a training run is slow, from its profiler trace")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Telltale authors")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)

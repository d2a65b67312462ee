# `cpack`: a Debian package with computed dependencies, and a .tar.gz of the same files.
set(CPACK_PACKAGE_NAME syncmeter)
set(CPACK_PACKAGE_VENDOR "The syncmeter authors")
set(CPACK_PACKAGE_CONTACT "The syncmeter authors")
set(CPACK_PACKAGE_VERSION ${SM_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measures what synchronization primitives cost")
set(CPACK_PACKAGE_DESCRIPTION "syncmeter measures what synchronization costs on a machine (barriers,
atomics, locks, fences and handoffs, on CPUs and NVIDIA GPUs), says how sure
each figure is, and turns the figures into advice.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_SYSTEM_NAME ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_GENERATOR TGZ)
find_program(SM_DPKG_SHLIBDEPS dpkg-shlibdeps)  # without it a package would depend on nothing
if(SM_DPKG_SHLIBDEPS)
  list(PREPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian_files.cmake)

# Debian sorts a version with "~" before the same without.
string(REPLACE "-" "~" CPACK_DEBIAN_PACKAGE_VERSION ${SM_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The census, and what find_package(syncmeter) needs.
set(suggested "binutils, cmake, g++, pkg-config, libfmt-dev, nlohmann-json3-dev, libhwloc-dev")
if(SM_INSTALL_REPORT)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3 (>= 3.11)")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "${suggested}, python3-zstandard")
else()
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "${suggested}")
endif()
include(CPack)

# Debian's libkokkos-dev 5.2.2-2 has a fault that stops every configuration that looks for Kokkos: its
# CMake files name two archives that are not in the package. They would be empty: what they are for is
# in headers. Where exactly this is found, a copy of those files is made in the build folder, with two
# empty archives, and find_package is led there. Nothing in the system is changed.

set(faulty /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/Kokkos)
set(mended ${CMAKE_BINARY_DIR}/kokkos)
if(Kokkos_DIR STREQUAL mended)
  unset(Kokkos_DIR CACHE)  # the package may have been mended since
endif()
# A Kokkos that the user names goes first.
find_package(Kokkos QUIET COMPONENTS separable_compilation
             NO_SYSTEM_ENVIRONMENT_PATH NO_CMAKE_SYSTEM_PATH NO_CMAKE_SYSTEM_PACKAGE_REGISTRY)
if(NOT Kokkos_FOUND AND EXISTS ${faulty}/KokkosTargets-none.cmake)
  set(archives)
  file(READ ${faulty}/KokkosTargets-none.cmake text)
  foreach(name IN ITEMS libkokkosalgorithms.a libkokkossimd.a)
    set(named "\${_IMPORT_PREFIX}/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${name}")
    string(FIND "${text}" "${named}" at)
    if(at GREATER -1 AND NOT EXISTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${name})
      string(REPLACE "${named}" "${mended}/${name}" text "${text}")
      file(CONFIGURE OUTPUT ${mended}/${name} CONTENT "!<arch>\n" @ONLY)
      list(APPEND archives ${name})
    endif()
  endforeach()
  if(archives)
    file(COPY ${faulty}/ DESTINATION ${mended})
    file(WRITE ${mended}/KokkosTargets-none.cmake "${text}")
    # Paths in it are relative to where it lies.
    file(READ ${faulty}/KokkosTargets.cmake text)
    string(REPLACE "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)"
                   "set(_IMPORT_PREFIX \"${faulty}\")" text "${text}")
    file(WRITE ${mended}/KokkosTargets.cmake "${text}")
    set(Kokkos_DIR ${mended} CACHE PATH "Debian's Kokkos, mended" FORCE)
    string(JOIN ", " archives ${archives})
    message(STATUS "Kokkos: ${faulty} names archives that are not there (${archives}); a copy of it with "
                   "empty ones is in ${mended}")
  endif()
endif()

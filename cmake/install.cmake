# `cmake --install`: what a user gets, anywhere, movable afterwards. Components: `programs` (all but the next
# two), `headers` (what a user's worker is built with) and `report` (the command syncmeter-report).
option(SM_INSTALL_REPORT "Install syncmeter-report too, which is also a Python package" ON)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME programs)
set(workers_folder ${CMAKE_INSTALL_LIBEXECDIR}/syncmeter)

foreach(worker IN LISTS SM_WORKERS)
  if(TARGET syncmeter-${worker})
    get_target_property(type syncmeter-${worker} TYPE)
    if(type STREQUAL "EXECUTABLE")
      install(TARGETS syncmeter-${worker} RUNTIME DESTINATION ${workers_folder})
    else()
      # By its own build, which knows which of its library folders are to be kept. DESTDIR reaches it by itself.
      get_target_property(build syncmeter-${worker} SM_BUILD)
      install(CODE "
        set(strip)
        if(CMAKE_INSTALL_DO_STRIP)
          set(strip --strip)
        endif()
        execute_process(COMMAND \"${CMAKE_COMMAND}\" --install \"${build}\" \${strip}
                                --prefix \"\${CMAKE_INSTALL_PREFIX}\" --component programs
                        COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)")
    endif()
    if(TARGET ${worker}_census)
      install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/syncmeter-${worker}.census.json DESTINATION ${workers_folder})
    endif()
  endif()
endforeach()
if(SM_CORE)  # a worker inside another build, which has the rest
  return()
endif()

install(TARGETS syncmeter RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET syncmeter-probe)
  install(TARGETS syncmeter-probe syncmeter-swaps syncmeter-kokkos-tool LIBRARY DESTINATION ${workers_folder})
  if(TARGET syncmeter-patches)
    install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/syncmeter-patches.fatbin DESTINATION ${workers_folder})
  endif()
endif()
foreach(model IN ITEMS lock-model lock-model-openmp)
  if(TARGET ${model})
    install(TARGETS ${model} RUNTIME DESTINATION ${workers_folder})
  endif()
endforeach()
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN __pycache__ EXCLUDE)

# What a user's worker is built with: find_package(syncmeter), headers, core as a library, and those sources of
# the backends that every worker of theirs is made of.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/syncmeter)
set(headers ${CMAKE_INSTALL_INCLUDEDIR})
set(core_library ${CMAKE_INSTALL_LIBDIR}/libsyncmeter_core.a)
set(worker_sources ${CMAKE_INSTALL_DATADIR}/syncmeter/worker)
configure_package_config_file(cmake/syncmeterConfig.cmake.in ${CMAKE_BINARY_DIR}/installed/syncmeterConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS headers core_library worker_sources)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/installed/syncmeterConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/installed/syncmeterConfig.cmake ${CMAKE_BINARY_DIR}/installed/syncmeterConfigVersion.cmake
              cmake/add_worker.cmake cmake/cuda20.cmake cmake/cuda_flags.cmake cmake/loop_flags.cmake cmake/tables.cmake
              ${CMAKE_BINARY_DIR}/installed/own_workers.cmake
        DESTINATION ${package} COMPONENT headers)
install(TARGETS syncmeter_core ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT headers)
install(DIRECTORY record core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/syncmeter COMPONENT headers
        FILES_MATCHING PATTERN *.hpp PATTERN *.def)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/installed/primitive.hpp CONTENT [[
// What a primitive of your own is written with: your-own-primitive.md in the documentation.
#pragma once

#include "core/ops/primitive.hpp"
]])
install(FILES ${CMAKE_BINARY_DIR}/installed/primitive.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/syncmeter
        COMPONENT headers)
foreach(folder IN ITEMS std omp cuda)
  install(DIRECTORY backends/${folder} DESTINATION ${worker_sources}/backends COMPONENT headers
          FILES_MATCHING PATTERN *.hpp PATTERN *.cpp PATTERN *.cuh PATTERN *.cu PATTERN worker.cmake
          REGEX "cuda/(accumulate|coalescing|divergence|handoff|launch|levels|multi|reduction|widths|all_groups.*)$" EXCLUDE
          REGEX "_census\\.cpp$" EXCLUDE)
endforeach()

# What the driver says of itself.
set(output ${CMAKE_BINARY_DIR}/driver_output)
file(MAKE_DIRECTORY ${output})
function(sm_driver_output file folder words)
  add_custom_command(OUTPUT ${output}/${file}
    COMMAND $<TARGET_FILE:syncmeter> ${words} > ${output}/${file} DEPENDS syncmeter VERBATIM)
  set_property(GLOBAL APPEND PROPERTY sm_driver_output ${output}/${file})
  install(FILES ${output}/${file} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/${folder})
endfunction()
sm_driver_output(syncmeter bash-completion/completions "completion;bash")
sm_driver_output(_syncmeter zsh/site-functions "completion;zsh")
sm_driver_output(syncmeter.1 man/man1 "manual")
get_property(files GLOBAL PROPERTY sm_driver_output)
add_custom_target(driver_output ALL DEPENDS ${files})
add_dependencies(programs driver_output)

if(SM_INSTALL_REPORT)
  set(modules ${CMAKE_INSTALL_DATADIR}/syncmeter/analysis)
  install(DIRECTORY analysis/syncmeter_analysis DESTINATION ${modules} COMPONENT report
          FILES_MATCHING PATTERN *.py PATTERN *.toml PATTERN templates/* PATTERN __pycache__ EXCLUDE PATTERN record/tables EXCLUDE)
  install(DIRECTORY record/ DESTINATION ${modules}/syncmeter_analysis/record/tables COMPONENT report
          FILES_MATCHING PATTERN *.def)
  file(RELATIVE_PATH modules_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/syncmeter/analysis)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/installed/syncmeter-report CONTENT [[#!/bin/sh
export PYTHONPATH="$(dirname -- "$(readlink -f -- "$0")")/@modules_from_bin@"
export PYTHONDONTWRITEBYTECODE=1
@SM_DRIVER_BESIDE@
@SM_RUN_REPORT@]] @ONLY)
  install(PROGRAMS ${CMAKE_BINARY_DIR}/installed/syncmeter-report DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT report)
endif()

# Which commit a build is of. Included by CMakeLists.txt, it makes a target that looks at every build
# and a header, git_info.hpp, for the sources of syncmeter_driver:
#   SM_GIT_SHA    the commit as a string of 40 hex digits, or "unknown" (no git, or not a clone)
#   SM_GIT_DIRTY  true when the sources differ from that commit or hold untracked files
# The header changes only when its content does, so that only what includes it is compiled again.
# Run as a script (cmake -DSM_SOURCE=.. -DSM_HEADER=.. -P), it writes that header.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(git_info_header ${CMAKE_BINARY_DIR}/generated/git_info.hpp)
  add_custom_target(git_info
    COMMAND ${CMAKE_COMMAND} -DSM_SOURCE=${CMAKE_SOURCE_DIR} -DSM_HEADER=${git_info_header}
            -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${git_info_header}
    COMMENT "Looking at the commit"
    VERBATIM)
  function(sm_git_info target)
    add_dependencies(${target} git_info)
    target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
  endfunction()
  return()
endif()

cmake_policy(VERSION 3.25)

function(git result)
  execute_process(COMMAND ${GIT} -C ${SM_SOURCE} ${ARGN}
                  OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(output "")
  endif()
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

set(sha "unknown")
set(dirty "false")
find_program(GIT git)
if(GIT)
  # Sources that were unpacked inside another repository are not of that repository's commit.
  git(top rev-parse --show-toplevel)
  file(REAL_PATH ${SM_SOURCE} source)
  if(top STREQUAL source)
    git(head rev-parse HEAD)
    if(head)
      set(sha ${head})
      git(changes status --porcelain)
      if(changes)
        set(dirty "true")
      endif()
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT ${SM_HEADER} CONTENT [[
// Generated at every build by cmake/git_info.cmake: the commit that this build is of.
#pragma once
#define SM_GIT_SHA "@sha@"
#define SM_GIT_DIRTY @dirty@
]] @ONLY)

# cmake/git_info.cmake on a repository made for the purpose.
cmake_policy(VERSION 3.25)
set(repository "${FOLDER}/a clone")
set(header ${FOLDER}/git_info.hpp)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${repository})

function(git)
  execute_process(COMMAND ${GIT} -C ${repository} -c user.name=tester -c user.email=tester@example.invalid ${ARGN}
                  OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(git_output "${output}" PARENT_SCOPE)
endfunction()
function(expect sha dirty source)
  execute_process(COMMAND ${CMAKE_COMMAND} -DSM_SOURCE=${source} -DSM_HEADER=${header} -P ${SCRIPT}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${header} text)
  foreach(line IN ITEMS "#define SM_GIT_SHA \"${sha}\"\n" "#define SM_GIT_DIRTY ${dirty}\n")
    string(FIND "${text}" "${line}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "expected ${line}in\n${text}")
    endif()
  endforeach()
endfunction()

git(init --quiet)
expect("unknown" "false" ${repository})  # no commit yet
file(WRITE ${repository}/source.cpp "int one;\n")
git(add source.cpp)
git(commit --quiet -m "one")
git(rev-parse HEAD)
set(sha ${git_output})
expect(${sha} "false" ${repository})

# Nothing new: the header stays as old as it was, and nothing is compiled again.
file(TIMESTAMP ${header} before "%s" UTC)
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
expect(${sha} "false" ${repository})
file(TIMESTAMP ${header} after "%s" UTC)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "the header was written again without a change")
endif()

file(WRITE ${repository}/untracked.cpp "int two;\n")
expect(${sha} "true" ${repository})
file(REMOVE ${repository}/untracked.cpp)
file(APPEND ${repository}/source.cpp "int three;\n")
expect(${sha} "true" ${repository})

# Sources unpacked inside another repository are not of its commit.
file(MAKE_DIRECTORY ${repository}/unpacked)
expect("unknown" "false" ${repository}/unpacked)

# Makes syncmeter-patches.fatbin beside the programs: `advise` puts its code into a program's kernels. It holds machine code
# for each major version, because a tool's code cannot be compiled when it is loaded.
execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE known)
set(codes)
string(REGEX MATCHALL "sm_[0-9]+" known "${known}")
foreach(code IN LISTS known)
  if(code MATCHES "^sm_(7[05]|[0-9]*[89]0|1[0-9]+0)$")
    string(REPLACE sm_ compute_ virtual ${code})
    list(APPEND codes -gencode arch=${virtual},code=${code})
  endif()
endforeach()
set(patches ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/syncmeter-patches.fatbin)
set(source ${CMAKE_CURRENT_LIST_DIR}/patches.cu)
add_custom_command(OUTPUT ${patches}
  COMMAND ${CMAKE_CUDA_COMPILER} --fatbin -std=c++20 -O3 --compile-as-tools-patch ${codes} -I${CMAKE_SOURCE_DIR} ${source}
          -o ${patches}
  DEPENDS ${source} ${CMAKE_CURRENT_LIST_DIR}/device_counts.hpp COMMENT "Compiling what is put into kernels" VERBATIM)
add_custom_target(syncmeter-patches DEPENDS ${patches})

# What the CPU workers share: how the loops that they measure are compiled. The flags are the same for
# every build type: what is measured must not change with CMAKE_BUILD_TYPE.

# No identical-code folding (two loops must stay two), 64-byte alignment of functions and loops (the
# two sides must not differ by where they happen to lie).
set(SM_LOOP_FLAGS -O3 -g0 -falign-functions=64 -falign-loops=64)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND SM_LOOP_FLAGS -fno-ipa-icf)
endif()

# So many copies of one function of the library stand in a loop that g++ would inline the first ones
# only, and call the rest; where it would stop depends on how much else the translation unit holds.
set(SM_UNROLLED_LIBRARY_FLAGS)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(SM_UNROLLED_LIBRARY_FLAGS --param=large-function-growth=10000 --param=inline-unit-growth=10000)
endif()

# sm_loop_target(TARGET WORKER [FLAG...]): a part of a worker with measured loops. FLAGs are what its
# API adds by itself; they are named to the user, not added.
function(sm_loop_target target worker)
  if(COMMAND sm_target)  # our own: warnings, sanitizers
    sm_target(${target})
  endif()
  target_link_libraries(${target} PRIVATE syncmeter::core)
  string(JOIN "," through_nvcc ${SM_LOOP_FLAGS})
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${SM_LOOP_FLAGS}>" "$<$<COMPILE_LANGUAGE:CUDA>:-O3;-Xcompiler=${through_nvcc}>")
  string(JOIN " " text ${SM_LOOP_FLAGS} ${ARGN})
  target_compile_definitions(${target} PRIVATE
    SM_BACKEND_NAME="${worker}" SM_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    SM_FLAGS="${text}")
endfunction()

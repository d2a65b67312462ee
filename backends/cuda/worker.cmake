# A CUDA worker: what cmake/add_worker.cmake adds to `target`, by `name`, `ops`, `user_ops` and the tables. It
# builds without a GPU.
include(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda_flags.cmake)
set(rig_sources ${cuda_rig_sources})
if(user_ops)
  list(FILTER rig_sources EXCLUDE REGEX "cuda_census.cpp$")
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/user_groups.cpp)
endif()
target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${rig_sources})
sm_cuda_target(${target})
target_compile_definitions(${target} PRIVATE SM_BACKEND_NAME="${name}")
# What tells one build's kernels from another's.
target_link_options(${target} PRIVATE -Wl,--build-id)
sm_tables(${target} cuda backends/cuda/rig/cuda_backend.cuh ${ops} .cu ${ARGN})

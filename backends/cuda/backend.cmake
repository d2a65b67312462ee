# CUDA. It builds without a GPU.
sm_backend(cuda 80
  INSTALL "the CUDA Toolkit 12 or newer (nvcc), then build again"
  TABLES untyped:void:1 int32:std::int32_t:6 uint32:std::uint32_t:1 uint64:std::uint64_t:1 float:float:1 double:double:1
  OPS ops/table.cuh
  DISASSEMBLER cuobjdump)
option(SM_CUDA "Build the CUDA backend where nvcc is found" ON)
if(NOT SM_CUDA)
  return()
endif()
# For the GPU of this machine, else for one that is widespread in the field.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE gpus ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND gpus MATCHES "GPU 0")
    set(CMAKE_CUDA_ARCHITECTURES native)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 90-real)
  endif()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(STATUS "CUDA: nvcc not found, so no backend `cuda`. Install the CUDA Toolkit 12 or newer (a GPU is not needed to build).")
  return()
endif()
enable_language(CUDA)
include(cuda20)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
  message(STATUS "CUDA: nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old, so no backend `cuda`. Install the CUDA Toolkit 12 or newer.")
  unset(CMAKE_CUDA_COMPILER CACHE)
  unset(CMAKE_CUDA_COMPILER)
  return()
endif()
set(found ON)

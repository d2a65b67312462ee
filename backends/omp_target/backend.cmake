# OpenMP on a GPU: target regions, by a g++ that compiles for NVIDIA GPUs. A GPU is not needed to build.
sm_backend(omp-target 95
  INSTALL "g++ 12 with its offloading to NVIDIA GPUs (Debian: g++-12, gcc-12-offload-nvptx and libgomp-plugin-nvptx1), then build again with CXX=g++-12"
  ON_REQUEST "omp_target|the offloading of g++ GCC_VERSION to NVIDIA GPUs (CXX=g++-12 takes that g++)|gcc-GCC_VERSION-offload-nvptx libgomp-plugin-nvptx1|gcc-offload-nvptx libgomp-offload-nvptx|has_omp_target"
  DISASSEMBLER cuobjdump)
option(SM_OMP_TARGET "Build the backend of OpenMP's target regions where a g++ with offloading to NVIDIA GPUs is found" ON)
if(NOT SM_OMP_TARGET OR SM_SANITIZE OR NOT OpenMP_CXX_FOUND OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  return()
endif()
# Of an architecture that ptxas of CUDA 13, which verifies what is made where it is on PATH, still knows. GPUs of a
# lower compute capability cannot load it, which libgomp notices in the first region and ends the process.
set(SM_OFFLOAD_SM 80)
set(SM_OFFLOAD_FLAGS -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_${SM_OFFLOAD_SM})
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "${OpenMP_CXX_FLAGS}")
set(CMAKE_REQUIRED_LINK_OPTIONS ${SM_OFFLOAD_FLAGS})
check_cxx_source_compiles("
  int main() {
    int x = 0;
    #pragma omp target map(tofrom : x)
    {
      #pragma omp atomic update seq_cst
      x += 1;
    }
    return x;
  }" SM_HAS_NVPTX_OFFLOAD)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(SM_HAS_NVPTX_OFFLOAD)
  set(found ON)
else()
  string(REGEX MATCH "^[0-9]+" SM_GCC_VERSION "${CMAKE_CXX_COMPILER_VERSION}")
  message(STATUS "OpenMP on GPUs: ${CMAKE_CXX_COMPILER} does not compile for them, so no backend `omp-target`. Install its offloading to NVIDIA GPUs (Debian: gcc-${SM_GCC_VERSION}-offload-nvptx).")
endif()

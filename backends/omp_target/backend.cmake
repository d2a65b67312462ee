# OpenMP on a GPU: target regions, by a g++ that compiles for NVIDIA GPUs. A GPU is not needed to build.
sm_backend(omp-target 95
  INSTALL "g++ 12 with its offloading to NVIDIA GPUs (Debian: g++-12, gcc-12-offload-nvptx and libgomp-plugin-nvptx1), then build again"
  ON_REQUEST "omp_target|g++ 12 with its offloading to NVIDIA GPUs|gcc-12-offload-nvptx libgomp-plugin-nvptx1|gcc-offload-nvptx libgomp-offload-nvptx|has_omp_target"
  DISASSEMBLER cuobjdump)
option(SM_OMP_TARGET "Build the backend of OpenMP's target regions where a g++ with offloading to NVIDIA GPUs is found" ON)
if(NOT SM_OMP_TARGET OR SM_SANITIZE OR NOT OpenMP_CXX_FOUND OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  return()
endif()
# Of the architecture that ptxas of CUDA 13, which verifies what is made where it is on PATH, still knows.
set(SM_OFFLOAD_FLAGS -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80)
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
  message(STATUS "OpenMP on GPUs: ${CMAKE_CXX_COMPILER} does not compile for them, so no backend `omp-target`. Install its offloading to NVIDIA GPUs (Debian: gcc-12-offload-nvptx).")
endif()

# OpenMP: `omp` by the compiler of this build, and `omp-llvm`, the same by clang with LLVM's runtime.
sm_backend(omp 10
  INSTALL "a compiler with OpenMP (Debian: g++, or clang with libomp-dev), then build again"
  TABLES untyped:void:1 int32:std::int32_t:1 uint64:std::uint64_t:1 float:float:1 double:double:1)
sm_backend(omp-llvm 20 WHEN_NAMED
  INSTALL "clang 14 or newer with libomp (Debian: clang and libomp-dev), then build again"
  ON_REQUEST "omp_llvm|clang 14 or newer with its OpenMP|clang libomp-dev|clang libomp-devel|has_clang_openmp"
  TABLES untyped:void:1 int32:std::int32_t:1 uint64:std::uint64_t:1 float:float:1 double:double:1)
if(NOT OpenMP_CXX_FOUND)
  message(STATUS "OpenMP: not found, so no backend `omp`. Install a compiler with OpenMP (Debian: g++, or clang with libomp-dev).")
endif()
set(found ON)

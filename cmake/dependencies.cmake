# What is needed and what is optional. A missing part is named with what to install; nothing is downloaded.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)  # Boost by its own configuration: CMake has no module for it any more
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc>=2.9)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd>=1.4)
option(SM_CUDA "Build the CUDA backend where nvcc is found" ON)
if(SM_CUDA)
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
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # CMake 3.25 does not know that nvcc has had C++20 since version 12.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
      message(STATUS "CUDA: nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old, so no backend `cuda`. Install the CUDA Toolkit 12 or newer.")
      unset(CMAKE_CUDA_COMPILER CACHE)
      unset(CMAKE_CUDA_COMPILER)
    endif()
  else()
    message(STATUS "CUDA: nvcc not found, so no backend `cuda`. Install the CUDA Toolkit 12 or newer (a GPU is not needed to build).")
  endif()
endif()
find_package(OpenMP COMPONENTS CXX)
if(NOT OpenMP_CXX_FOUND)
  message(STATUS "OpenMP: not found, so no backend `omp`. Install a compiler with OpenMP (Debian: g++, or clang with libomp-dev).")
endif()
option(SM_STD "Build the backend of C++20 threads" ON)
set(SM_HAS_STD OFF)
if(SM_STD)
  # libc++ has had std::atomic_ref since version 19.
  include(CheckCXXSourceCompiles)
  check_cxx_source_compiles("
    #include <atomic>
    #include <barrier>
    #include <shared_mutex>
    int main() {
      double x = 0;
      std::barrier<> all{1};
      all.arrive_and_wait();
      std::atomic_ref<double>{x}.fetch_add(1);
      std::atomic_ref<double>{x}.notify_all();
      return 0;
    }" SM_LIBRARY_HAS_CXX20_THREADS)
  set(SM_HAS_STD ${SM_LIBRARY_HAS_CXX20_THREADS})
  if(NOT SM_HAS_STD)
    message(STATUS "std: this compiler's library lacks std::barrier, std::atomic_ref or its wait and notify, so no backend `std`. Install g++ 11 or newer (clang++ takes its library).")
  endif()
endif()
option(SM_KOKKOS "Build the Kokkos backends where Kokkos is found" ON)
set(SM_HAS_KOKKOS OFF)
if(SM_KOKKOS)
  include(kokkos)
endif()

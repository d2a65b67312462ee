# The OpenMP worker a second time, by clang with LLVM's runtime: `omp-llvm` beside `omp`, so that one
# campaign can hold two runtimes against each other. A build has one C++ compiler, so that this is a build
# of its own inside this one, of the same sources; what measures, core, is the same library for both.
option(SM_OMP_LLVM "Build the OpenMP worker a second time, by clang with LLVM's runtime" ON)
set(problem)
if(NOT SM_OMP_LLVM)
  return()
endif()
find_program(SM_CLANGXX NAMES clang++ clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16
             clang++-15 clang++-14 DOC "The compiler of the backend omp-llvm")
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(problem "this build is by clang, so that `omp` is LLVM's runtime already.")
elseif(NOT SM_CLANGXX)
  set(problem "clang++ not found, so no backend `omp-llvm`. Install clang 14 or newer with its OpenMP (Debian: clang and libomp-dev).")
else()
  set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/omp_llvm_probe)
  file(WRITE ${probe}.cpp "#include <omp.h>\n#include <concepts>\n#if __clang_major__ < 14\n#error\n#endif\n"
       "#define TEXT_OF(x) #x\n#define TEXT(x) TEXT_OF(x)\n#include <cstdio>\n"
       "int main() { std::puts(TEXT(__clang_major__) \".\" TEXT(__clang_minor__) \".\" TEXT(__clang_patchlevel__)); "
       "return omp_get_max_threads() == 0; }\n")
  execute_process(COMMAND ${SM_CLANGXX} -std=c++20 -fopenmp=libomp ${probe}.cpp -o ${probe}
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    execute_process(COMMAND ${probe} RESULT_VARIABLE status OUTPUT_VARIABLE SM_CLANGXX_VERSION
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT status EQUAL 0)
    set(problem "${SM_CLANGXX} makes no OpenMP program, so no backend `omp-llvm`. Install clang 14 or newer with its OpenMP (Debian: clang and libomp-dev).")
  endif()
endif()
if(problem)
  message(STATUS "OpenMP of LLVM: ${problem}")
  return()
endif()

include(ExternalProject)
string(REPLACE ";" "|" types "${SM_TYPES}")
ExternalProject_Add(syncmeter-omp-llvm
  SOURCE_DIR ${CMAKE_SOURCE_DIR}
  PREFIX ${CMAKE_BINARY_DIR}/omp_llvm
  BINARY_DIR ${CMAKE_BINARY_DIR}/omp_llvm/build
  DOWNLOAD_COMMAND ""
  LIST_SEPARATOR "|"
  CMAKE_CACHE_ARGS
    -DCMAKE_CXX_COMPILER:FILEPATH=${SM_CLANGXX}
    -DCMAKE_CXX_COMPILER_LAUNCHER:STRING=${CMAKE_CXX_COMPILER_LAUNCHER}
    -DCMAKE_BUILD_TYPE:STRING=${CMAKE_BUILD_TYPE}
    -DCMAKE_PREFIX_PATH:STRING=${CMAKE_PREFIX_PATH}
    -DCMAKE_INSTALL_PREFIX:PATH=${CMAKE_INSTALL_PREFIX}
    -DCMAKE_INSTALL_LIBEXECDIR:PATH=${CMAKE_INSTALL_LIBEXECDIR}
    -DCMAKE_INSTALL_RPATH:STRING=${CMAKE_INSTALL_RPATH}
    -DCMAKE_INSTALL_RPATH_USE_LINK_PATH:BOOL=${CMAKE_INSTALL_RPATH_USE_LINK_PATH}
    -DCMAKE_RUNTIME_OUTPUT_DIRECTORY:PATH=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
    -DSM_BACKENDS:STRING=omp -DSM_OMP_WORKER:STRING=omp-llvm -DSM_OMP_LLVM:BOOL=OFF -DSM_TYPES:STRING=${types}
    -DSM_CORE:FILEPATH=$<TARGET_FILE:syncmeter_core>
    -DSM_TESTS:BOOL=OFF -DSM_WERROR:BOOL=${SM_WERROR}
  BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> --target syncmeter-omp-llvm
  BUILD_ALWAYS ON  # whether a source is newer is known to that build alone
  BUILD_BYPRODUCTS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/syncmeter-omp-llvm
  INSTALL_COMMAND ""
  DEPENDS syncmeter_core)
# Who compiled it, for the tests of its machine code, and the build that installs it.
set_target_properties(syncmeter-omp-llvm PROPERTIES
  SM_COMPILER "Clang ${SM_CLANGXX_VERSION}" SM_BUILD ${CMAKE_BINARY_DIR}/omp_llvm/build)

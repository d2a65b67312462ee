# Locks and read-side schemes of libraries, on C++20's threads: those that were found. What a lock guards does not
# change its cost: one type will do.
sm_backend(libraries 60 WHEN_NAMED
  INSTALL "libraries that have locks or RCU (Debian: libabsl-dev, libtbb-dev, libck-dev, liburcu-dev), then build again"
  ON_REQUEST "libraries|Abseil, oneTBB, Concurrency Kit and liburcu|libabsl-dev libtbb-dev libck-dev liburcu-dev|abseil-cpp-devel tbb-devel ck-devel userspace-rcu-devel|has_headers absl/synchronization/mutex.h oneapi/tbb/mutex.h ck_cohort.h urcu/urcu-memb.h"
  LANES std
  TABLES untyped:void:1 int32:std::int32_t:1)
option(SM_LIBRARIES "Build the backend of libraries' locks and RCU: those of Abseil, oneTBB, Concurrency Kit, liburcu that are found" ON)
if(NOT SM_LIBRARIES OR NOT SM_HAS_STD)
  return()
endif()
find_package(absl CONFIG QUIET)
find_package(TBB CONFIG QUIET)
pkg_check_modules(urcu QUIET IMPORTED_TARGET liburcu-memb)
find_path(SM_CK_HEADERS ck_cohort.h)
set(SM_HAS_ABSL ${absl_FOUND})
set(SM_HAS_TBB ${TBB_FOUND})
# libstdc++ runs std::execution::par by oneTBB; without it by one thread.
set(SM_HAS_STD_PAR OFF)
if(SM_HAS_TBB)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES TBB::tbb)
  check_cxx_source_compiles("
    #include <execution>
    #if !defined(_PSTL_PAR_BACKEND_TBB)
    #error
    #endif
    int main() { return 0; }" SM_STD_PAR_BY_TBB)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(SM_HAS_STD_PAR ${SM_STD_PAR_BY_TBB})
endif()
set(SM_HAS_URCU ${urcu_FOUND})
set(SM_HAS_CK OFF)
if(SM_CK_HEADERS)
  set(SM_HAS_CK ON)
endif()
if(SM_HAS_ABSL OR SM_HAS_TBB OR SM_HAS_URCU OR SM_HAS_CK)
  set(found ON)
endif()

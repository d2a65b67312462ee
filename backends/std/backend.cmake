# C++20's threads.
sm_backend(std 30 WHEN_NAMED
  INSTALL "a library with C++20's threads (Debian: g++), then build again"
  TABLES untyped:void:1 int32:std::int32_t:2 uint64:std::uint64_t:2 float:float:2 double:double:2)
option(SM_STD "Build the backend of C++20 threads" ON)
if(NOT SM_STD)
  return()
endif()
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
set(found ${SM_LIBRARY_HAS_CXX20_THREADS})
if(NOT found)
  message(STATUS "std: this compiler's library lacks std::barrier, std::atomic_ref or its wait and notify, so no backend `std`. Install g++ 11 or newer (clang++ takes its library).")
endif()

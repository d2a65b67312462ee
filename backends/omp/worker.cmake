# An OpenMP worker: what cmake/add_worker.cmake adds to `target`, by `name`, `ops` and the tables; and what this
# compiler's OpenMP has.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "${OpenMP_CXX_FLAGS} -Werror")
check_cxx_source_compiles("
  int f(int& x, int e) {
    int v;
    #pragma omp atomic compare capture relaxed
    { v = x; if (x == e) { x = 1; } }
    #pragma omp atomic compare seq_cst
    if (x < e) { x = e; }
    return v;
  }
  int main() { int x = 0; return f(x, 0); }" SM_OMP_HAS_ATOMIC_COMPARE)
check_cxx_source_compiles("
  int main() {
    #pragma omp flush seq_cst
    return 0;
  }" SM_OMP_HAS_FLUSH_SEQ_CST)
check_cxx_source_compiles("
  int main() {
    #pragma omp masked
    { }
    return 0;
  }" SM_OMP_HAS_MASKED)
# libgomp declares it, and does not have it. A link, so that the runtime is asked too.
set(CMAKE_REQUIRED_LIBRARIES OpenMP::OpenMP_CXX)
check_cxx_source_compiles("
  #include <omp.h>
  int main() {
    omp_lock_t lock;
    omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
    omp_destroy_lock(&lock);
    return 0;
  }" SM_OMP_HAS_LOCK_HINTS)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_FLAGS)

foreach(source IN ITEMS main.cpp first_region.cpp omp_objects.cpp)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${source})
endforeach()
if(NOT user_ops)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/omp_census.cpp)
endif()
sm_loop_target(${target} ${name} ${OpenMP_CXX_FLAGS})
target_link_libraries(${target} PRIVATE OpenMP::OpenMP_CXX)
target_compile_definitions(${target} PRIVATE
  $<$<BOOL:${SM_OMP_HAS_ATOMIC_COMPARE}>:SM_OMP_HAS_ATOMIC_COMPARE>
  $<$<BOOL:${SM_OMP_HAS_FLUSH_SEQ_CST}>:SM_OMP_HAS_FLUSH_SEQ_CST>
  $<$<BOOL:${SM_OMP_HAS_MASKED}>:SM_OMP_HAS_MASKED>
  $<$<BOOL:${SM_OMP_HAS_LOCK_HINTS}>:SM_OMP_HAS_LOCK_HINTS>)
sm_tables(${target} omp backends/omp/omp_backend.hpp ${ops} .cpp ${ARGN})

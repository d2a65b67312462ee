// Calls what g++ and clang++ make of OpenMP, each construct from a function named after what the
// compiler calls; prints "NAME CALLS" for each, as counted here. With LIBRARY "libomp" where g++'s
// code runs on LLVM's runtime, which lacks some.
#include <omp.h>

#include <cstdio>
#include <cstring>

#include "strict_loop.hpp"

namespace {

bool llvm_runtime = false;
int calls = 20;  // of the next name: all differ
int cell = 0;
long double wide = 0;
omp_lock_t lock;
omp_nest_lock_t nest_lock;

using body = void();
/// Both threads do the same, in a function that is not part of the region's code.
#if defined(__clang__)
[[gnu::noinline]] void call___kmpc_fork_call(body* inside) {
#else
[[gnu::noinline]] void call_GOMP_parallel(body* inside) {
#endif
#pragma omp parallel num_threads(2)
  inside();
  asm volatile("");
}

#define FUNCTION(name) [[gnu::noinline]] void call_##name()
/// `threads` of them call it `calls` times each; what they do together is once for all.
void run(const char* name, body* inside, int threads, bool together = false) {
  ++calls;
#if defined(__clang__)
  if (threads == 2) call___kmpc_fork_call(inside);
#else
  if (threads == 2) call_GOMP_parallel(inside);
#endif
  else inside();
  std::printf("%s %d\n", name, together ? calls : calls * threads);
}

#define TIMES for (int i = 0; i < calls; ++i)

#if defined(__clang__)

FUNCTION(__kmpc_barrier) {
  TIMES {
#pragma omp barrier
  }
}
FUNCTION(__kmpc_serialized_parallel) {
  TIMES {
#pragma omp parallel if (calls < 0)
    asm volatile("");
  }
}
FUNCTION(__kmpc_critical) {
  TIMES {
#pragma omp critical
    ++cell;
  }
}
FUNCTION(__kmpc_critical_with_hint) {
  TIMES {
#pragma omp critical(hinted) hint(omp_lock_hint_uncontended)
    ++cell;
  }
}
FUNCTION(__kmpc_ordered) {
#pragma omp for ordered
  for (int i = 0; i < 2 * calls; ++i) {
#pragma omp ordered
    ++cell;
  }
}
// Each iteration but the first one waits for the one before; the runtime is asked for that, too.
FUNCTION(__kmpc_doacross_wait) {
#pragma omp for ordered(1)
  for (int i = 0; i < 2 * calls; ++i) {
#pragma omp ordered depend(sink : i - 1)
    ++cell;
#pragma omp ordered depend(source)
  }
}
FUNCTION(__kmpc_single) {
  TIMES {
#pragma omp single nowait
    ++cell;
  }
}
int sum = 0;
FUNCTION(__kmpc_reduce) {
  TIMES {
#pragma omp for reduction(+ : sum)
    for (int j = 0; j < 2; ++j) sum += j;
  }
}
FUNCTION(__kmpc_reduce_nowait) {
  TIMES {
#pragma omp for reduction(+ : sum) nowait
    for (int j = 0; j < 2; ++j) sum += j;
  }
}
FUNCTION(__kmpc_omp_task) {
  TIMES {
#pragma omp task
    asm volatile("");
  }
}
FUNCTION(__kmpc_omp_task_with_deps) {
  TIMES {
#pragma omp task depend(inout : cell)
    asm volatile("");
  }
}
FUNCTION(__kmpc_taskloop) {
  TIMES {
#pragma omp taskloop num_tasks(1)
    for (int j = 0; j < 3; ++j) asm volatile("");
  }
}
FUNCTION(__kmpc_taskloop_5) {
  TIMES strict_loop(3, [](int, loop_task*) { return 0; });
}
FUNCTION(__kmpc_omp_taskwait) {
  TIMES {
#pragma omp taskwait
  }
}
FUNCTION(__kmpc_end_taskgroup) {
  TIMES {
#pragma omp taskgroup
    asm volatile("");
  }
}
// One iteration, and so one chunk for both threads.
#define CHUNK(suffix, number)                                                                      \
  FUNCTION(__kmpc_dispatch_next_##suffix) {                                                        \
    TIMES {                                                                                        \
      _Pragma("omp for schedule(dynamic)") for (number i = 0; i < 1; ++i) asm volatile("");        \
    }                                                                                              \
  }
CHUNK(4, int)
CHUNK(4u, unsigned)
CHUNK(8, long long)
CHUNK(8u, unsigned long long)
// What clang++ makes of barriers in a region that can be cancelled, which is one function with it.
extern "C" int __kmpc_cancel_barrier(source_place*, int);
FUNCTION(__kmpc_cancel_barrier) {
  TIMES __kmpc_cancel_barrier(&place, __kmpc_global_thread_num(&place));
}

#else

FUNCTION(GOMP_barrier) {
  TIMES {
#pragma omp barrier
  }
}
FUNCTION(GOMP_loop_end) {
  TIMES {
#pragma omp for schedule(dynamic)
    for (int j = 0; j < 2; ++j) asm volatile("");
  }
}
FUNCTION(GOMP_sections_end) {
  TIMES {
#pragma omp sections
    {
#pragma omp section
      asm volatile("");
#pragma omp section
      asm volatile("");
    }
  }
}
FUNCTION(GOMP_critical_start) {
  TIMES {
#pragma omp critical
    ++cell;
  }
}
FUNCTION(GOMP_critical_name_start) {
  TIMES {
#pragma omp critical(named)
    ++cell;
  }
}
FUNCTION(GOMP_atomic_start) {
  TIMES {
#pragma omp atomic
    wide += 1;
  }
}
FUNCTION(GOMP_ordered_start) {
#pragma omp for ordered
  for (int i = 0; i < 2 * calls; ++i) {
#pragma omp ordered
    ++cell;
  }
}
FUNCTION(GOMP_doacross_wait) {
#pragma omp for ordered(1)
  for (int i = 0; i < 2 * calls + 1; ++i) {
#pragma omp ordered depend(sink : i - 1)
    ++cell;
#pragma omp ordered depend(source)
  }
}
// From 1 on: below 0 some g++ take the number that there is none of for a large one.
FUNCTION(GOMP_doacross_ull_wait) {
  const auto last = static_cast<unsigned long long>(2 * calls + 1);
#pragma omp for ordered(1)
  for (unsigned long long i = 1; i <= last; ++i) {
#pragma omp ordered depend(sink : i - 1)
    ++cell;
#pragma omp ordered depend(source)
  }
}
FUNCTION(GOMP_single_start) {
  TIMES {
#pragma omp single nowait
    ++cell;
  }
}
FUNCTION(GOMP_single_copy_start) {
  TIMES {
    int value;
#pragma omp single copyprivate(value)
    value = 1;
    asm volatile("" : : "r"(value));
  }
}
FUNCTION(GOMP_task) {
  TIMES {
#pragma omp task
    asm volatile("");
  }
}
FUNCTION(GOMP_taskloop) {
  TIMES {
#pragma omp taskloop num_tasks(1) nogroup
    for (int j = 0; j < 3; ++j) asm volatile("");
  }
}
FUNCTION(GOMP_taskloop_ull) {
  TIMES {
#pragma omp taskloop num_tasks(1) nogroup
    for (unsigned long long j = 0; j < 3; ++j) asm volatile("");
  }
}
FUNCTION(GOMP_taskwait) {
  TIMES {
#pragma omp taskwait
  }
}
FUNCTION(GOMP_taskgroup_end) {
  TIMES {
#pragma omp taskgroup
    asm volatile("");
  }
}
FUNCTION(GOMP_parallel_sections) {
  TIMES {
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
      asm volatile("");
#pragma omp section
      asm volatile("");
    }
  }
}
FUNCTION(GOMP_parallel_reductions) {
  TIMES {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(task, + : sum)
    sum += 1;
    asm volatile("" : : "r"(sum));
  }
}
#define LOOP_REGION(name, how)                                                                     \
  FUNCTION(GOMP_parallel_loop_##name) {                                                            \
    TIMES { _Pragma(how) for (int j = 0; j < 4; ++j) asm volatile(""); }                           \
  }
LOOP_REGION(dynamic, "omp parallel for num_threads(2) schedule(monotonic : dynamic)")
LOOP_REGION(guided, "omp parallel for num_threads(2) schedule(monotonic : guided)")
LOOP_REGION(nonmonotonic_dynamic, "omp parallel for num_threads(2) schedule(dynamic)")
LOOP_REGION(nonmonotonic_guided, "omp parallel for num_threads(2) schedule(guided)")
LOOP_REGION(runtime, "omp parallel for num_threads(2) schedule(monotonic : runtime)")
LOOP_REGION(nonmonotonic_runtime,
            "omp parallel for num_threads(2) schedule(nonmonotonic : runtime)")
LOOP_REGION(maybe_nonmonotonic_runtime, "omp parallel for num_threads(2) schedule(runtime)")
// g++ makes two calls of a static loop; older ones, and other compilers of GOMP's, this one.
extern "C" void GOMP_parallel_loop_static(void (*)(void*), void*, unsigned, long, long, long, long,
                                          unsigned);
extern "C" bool GOMP_loop_static_next(long*, long*);
extern "C" void GOMP_loop_end_nowait();
void walk(void*) {
  long first = 0, end = 0;
  while (GOMP_loop_static_next(&first, &end)) {
  }
  GOMP_loop_end_nowait();
}
FUNCTION(GOMP_parallel_loop_static) {
  TIMES GOMP_parallel_loop_static(walk, nullptr, 2, 0, 4, 1, 1, 0);
}
// What g++ makes of constructs in a region that can be cancelled.
extern "C" bool GOMP_barrier_cancel();
extern "C" bool GOMP_loop_dynamic_start(long, long, long, long, long*, long*);
extern "C" bool GOMP_loop_dynamic_next(long*, long*);
extern "C" bool GOMP_loop_end_cancel();
extern "C" unsigned GOMP_sections_start(unsigned);
extern "C" unsigned GOMP_sections_next();
extern "C" bool GOMP_sections_end_cancel();
FUNCTION(GOMP_barrier_cancel) { TIMES GOMP_barrier_cancel(); }
FUNCTION(GOMP_loop_end_cancel) {
  TIMES {
    long first = 0, end = 0;
    for (bool more = GOMP_loop_dynamic_start(0, 4, 1, 1, &first, &end); more;)
      more = GOMP_loop_dynamic_next(&first, &end);
    GOMP_loop_end_cancel();
  }
}
FUNCTION(GOMP_sections_end_cancel) {
  TIMES {
    for (unsigned section = GOMP_sections_start(2); section != 0;) section = GOMP_sections_next();
    GOMP_sections_end_cancel();
  }
}

// What g++ makes of a loop that it does not join with its region: each of two threads has a chunk
// from the start, and one of them another.
extern "C" void GOMP_loop_end();
[[gnu::noinline]] void wait_for_other() {
#pragma omp barrier
}
template <class Number> [[gnu::noinline]] void end_loop(bool (*next)(Number*, Number*)) {
  Number first = 0, end = 0;
  while (next(&first, &end)) {
  }
  GOMP_loop_end();
}
template <class Start> [[gnu::noinline]] void start_loop(Start start) {
  start();
  wait_for_other();
}
#define CHUNKS(way, number, parameters, ...)                                                       \
  extern "C" bool GOMP_loop_##way##_start parameters;                                              \
  extern "C" bool GOMP_loop_##way##_next(number*, number*);                                        \
  FUNCTION(GOMP_loop_##way##_start) {                                                              \
    number first = 0, end = 0;                                                                     \
    TIMES {                                                                                        \
      GOMP_loop_##way##_start(__VA_ARGS__, &first, &end);                                          \
      wait_for_other();                                                                            \
      end_loop(GOMP_loop_##way##_next);                                                            \
    }                                                                                              \
  }                                                                                                \
  FUNCTION(GOMP_loop_##way##_next) {                                                               \
    number first = 0, end = 0;                                                                     \
    TIMES {                                                                                        \
      start_loop([&] { GOMP_loop_##way##_start(__VA_ARGS__, &first, &end); });                     \
      while (GOMP_loop_##way##_next(&first, &end)) {                                               \
      }                                                                                            \
      end_loop(GOMP_loop_##way##_next);                                                            \
    }                                                                                              \
  }
#define CHUNKS_OF_BOTH(way)                                                                        \
  CHUNKS(way, long, (long, long, long, long, long*, long*), 0, iterations_of(#way), 1, 1)          \
  CHUNKS(ull_##way, ull, (bool, ull, ull, ull, ull, ull*, ull*), true, 0, iterations_of(#way), 1, 1)
#define CHUNKS_AT_RUN_TIME(way)                                                                    \
  CHUNKS(way, long, (long, long, long, long*, long*), 0, 3, 1)                                     \
  CHUNKS(ull_##way, ull, (bool, ull, ull, ull, ull*, ull*), true, 0, 3, 1)
using ull = unsigned long long;
// Three chunks: of guided ones the first has half of the iterations.
int iterations_of(const char* way) { return std::strstr(way, "guided") ? 4 : 3; }
CHUNKS_OF_BOTH(dynamic)
CHUNKS_OF_BOTH(guided)
CHUNKS_OF_BOTH(nonmonotonic_dynamic)
CHUNKS_OF_BOTH(nonmonotonic_guided)
CHUNKS_AT_RUN_TIME(runtime)
CHUNKS_AT_RUN_TIME(nonmonotonic_runtime)
CHUNKS_AT_RUN_TIME(maybe_nonmonotonic_runtime)

// One iteration, and so one chunk, of a loop whose iterations wait for the ones before.
int last_iteration = 1;
#define DOACROSS_CHUNK(way, number, schedule)                                                      \
  FUNCTION(GOMP_loop_##way##_start) {                                                              \
    TIMES {                                                                                        \
      _Pragma(schedule) for (number i = 1; i <= number(last_iteration); ++i) {                     \
        _Pragma("omp ordered depend(sink : i - 1)") asm volatile("");                              \
        _Pragma("omp ordered depend(source)")                                                      \
      }                                                                                            \
    }                                                                                              \
  }
#define DOACROSS_CHUNKS(way, schedule)                                                             \
  DOACROSS_CHUNK(doacross_##way, long, schedule)                                                   \
  DOACROSS_CHUNK(ull_doacross_##way, ull, schedule)
DOACROSS_CHUNKS(dynamic, "omp for ordered(1) schedule(dynamic)")
DOACROSS_CHUNKS(guided, "omp for ordered(1) schedule(guided)")
DOACROSS_CHUNKS(runtime, "omp for ordered(1) schedule(runtime)")

#endif

FUNCTION(omp_set_lock) {
  TIMES {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
}
FUNCTION(omp_set_nest_lock) {
  TIMES {
    omp_set_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
  }
}
// By one thread: each try brings the lock.
FUNCTION(omp_test_lock) {
  TIMES {
    (void)omp_test_lock(&lock);
    omp_unset_lock(&lock);
  }
}
FUNCTION(omp_test_nest_lock) {
  TIMES {
    (void)omp_test_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
  }
}

// What gfortran calls.
extern "C" {
void omp_set_lock_(omp_lock_t*);
void omp_unset_lock_(omp_lock_t*);
int omp_test_lock_(omp_lock_t*);
void omp_init_nest_lock_(void**);
void omp_set_nest_lock_(void**);
void omp_unset_nest_lock_(void**);
int omp_test_nest_lock_(void**);
}
void* fortran_nest_lock = nullptr;
FUNCTION(omp_set_lock_) {
  TIMES {
    omp_set_lock_(&lock);
    omp_unset_lock_(&lock);
  }
}
FUNCTION(omp_set_nest_lock_) {
  TIMES {
    omp_set_nest_lock_(&fortran_nest_lock);
    omp_unset_nest_lock_(&fortran_nest_lock);
  }
}
FUNCTION(omp_test_lock_) {
  TIMES {
    (void)omp_test_lock_(&lock);
    omp_unset_lock_(&lock);
  }
}
FUNCTION(omp_test_nest_lock_) {
  TIMES {
    (void)omp_test_nest_lock_(&fortran_nest_lock);
    omp_unset_nest_lock_(&fortran_nest_lock);
  }
}

}  // namespace

#define TEAM(name) run(#name, call_##name, 2)
#define TOGETHER(name) run(#name, call_##name, 2, true)
#define ALONE(name) run(#name, call_##name, 1)

int main(int argc, char** argv) {
  llvm_runtime = argc > 1 && std::strcmp(argv[1], "libomp") == 0;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  omp_init_nest_lock_(&fortran_nest_lock);
  int regions = 0;
#if defined(__clang__)
  TOGETHER(__kmpc_barrier);
  ALONE(__kmpc_serialized_parallel);
  TEAM(__kmpc_critical);
  TEAM(__kmpc_critical_with_hint);
  TEAM(__kmpc_ordered);
  TEAM(__kmpc_doacross_wait);
  TEAM(__kmpc_single);
  TEAM(__kmpc_reduce);
  TEAM(__kmpc_reduce_nowait);
  TEAM(__kmpc_omp_task);
  TEAM(__kmpc_omp_task_with_deps);
  TEAM(__kmpc_taskloop);
  TEAM(__kmpc_taskloop_5);
  TEAM(__kmpc_omp_taskwait);
  TEAM(__kmpc_end_taskgroup);
  TOGETHER(__kmpc_cancel_barrier);
  TOGETHER(__kmpc_dispatch_next_4);
  TOGETHER(__kmpc_dispatch_next_4u);
  TOGETHER(__kmpc_dispatch_next_8);
  TOGETHER(__kmpc_dispatch_next_8u);
  regions += 19;
#else
  TOGETHER(GOMP_barrier);
  TOGETHER(GOMP_loop_end);
  TOGETHER(GOMP_sections_end);
  TEAM(GOMP_critical_start);
  TEAM(GOMP_critical_name_start);
  TEAM(GOMP_atomic_start);
  TEAM(GOMP_ordered_start);
  TEAM(GOMP_single_start);
  TEAM(GOMP_single_copy_start);
  TEAM(GOMP_task);
  TEAM(GOMP_taskloop);
  TEAM(GOMP_taskloop_ull);
  TEAM(GOMP_taskwait);
  TEAM(GOMP_taskgroup_end);
  regions += 14;
  if (!llvm_runtime) {
    TEAM(GOMP_doacross_wait);
    TEAM(GOMP_doacross_ull_wait);
    TOGETHER(GOMP_barrier_cancel);
    TOGETHER(GOMP_loop_end_cancel);
    TOGETHER(GOMP_sections_end_cancel);
    regions += 5;
#define BOTH_CHUNKS(way)                                                                           \
  TEAM(GOMP_loop_##way##_start);                                                                   \
  TOGETHER(GOMP_loop_##way##_next);                                                                \
  TEAM(GOMP_loop_ull_##way##_start);                                                               \
  TOGETHER(GOMP_loop_ull_##way##_next);                                                            \
  regions += 4
    omp_set_schedule(omp_sched_dynamic, 1);
    BOTH_CHUNKS(dynamic);
    BOTH_CHUNKS(guided);
    BOTH_CHUNKS(nonmonotonic_dynamic);
    BOTH_CHUNKS(nonmonotonic_guided);
    BOTH_CHUNKS(runtime);
    BOTH_CHUNKS(nonmonotonic_runtime);
    BOTH_CHUNKS(maybe_nonmonotonic_runtime);
    TOGETHER(GOMP_loop_doacross_dynamic_start);
    TOGETHER(GOMP_loop_doacross_guided_start);
    TOGETHER(GOMP_loop_doacross_runtime_start);
    TOGETHER(GOMP_loop_ull_doacross_dynamic_start);
    TOGETHER(GOMP_loop_ull_doacross_guided_start);
    TOGETHER(GOMP_loop_ull_doacross_runtime_start);
    regions += 6;
  }
  ALONE(GOMP_parallel_sections);
  if (!llvm_runtime) ALONE(GOMP_parallel_reductions);
  ALONE(GOMP_parallel_loop_static);
  ALONE(GOMP_parallel_loop_dynamic);
  ALONE(GOMP_parallel_loop_guided);
  ALONE(GOMP_parallel_loop_nonmonotonic_dynamic);
  ALONE(GOMP_parallel_loop_nonmonotonic_guided);
  ALONE(GOMP_parallel_loop_runtime);
  ALONE(GOMP_parallel_loop_nonmonotonic_runtime);
  ALONE(GOMP_parallel_loop_maybe_nonmonotonic_runtime);
#endif
  TEAM(omp_set_lock);
  TEAM(omp_set_nest_lock);
  TEAM(omp_set_lock_);
  TEAM(omp_set_nest_lock_);
  regions += 4;
  ALONE(omp_test_lock);
  ALONE(omp_test_nest_lock);
  ALONE(omp_test_lock_);
  ALONE(omp_test_nest_lock_);
#if defined(__clang__)
  std::printf("__kmpc_fork_call %d\n", regions);
#else
  std::printf("GOMP_parallel %d\n", regions);
#endif
}

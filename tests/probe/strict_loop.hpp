// What later compilers than some here make of a `taskloop` with `grainsize(strict: 3)` for LLVM's
// runtime, by hand.
#pragma once

#include <cstddef>

struct source_place {
  int reserved, flags, more[2];
  const char* text;
};
inline source_place place{0, 2, {}, ";unknown;unknown;0;0;;"};

struct loop_task {
  void* words_of_runtime[5];
  long long first, last, step;
};
using loop_function = int(int thread, loop_task*);

extern "C" int __kmpc_global_thread_num(source_place*);
extern "C" loop_task* __kmpc_omp_task_alloc(source_place*, int thread, int flags, std::size_t size,
                                            std::size_t shared, loop_function*);
extern "C" void __kmpc_taskloop_5(source_place*, int thread, loop_task*, int is_deferred,
                                  long long* first, long long* last, long long step, int no_group,
                                  int way, unsigned long long number, int strict, void* copy);

/// From 1 to `last`, by the function that calls this.
[[gnu::always_inline]] inline void strict_loop(long long last, loop_function* function) {
  constexpr int tied = 1, no_group = 1, by_grain_size = 1, strict = 1;
  const int thread = __kmpc_global_thread_num(&place);
  loop_task* const task =
      __kmpc_omp_task_alloc(&place, thread, tied, sizeof(loop_task), 0, function);
  task->first = 1;
  task->last = last;
  task->step = 1;
  __kmpc_taskloop_5(&place, thread, task, 1, &task->first, &task->last, 1, no_group, by_grain_size,
                    3, strict, nullptr);
}

// Loops whose iterations are divided among tasks: by the size of a task, by their number, or as the
// runtime likes, up and down; prints how many tasks there were, as each says when it begins. With
// an argument not down: LLVM's runtime ends a program of g++ that does.
#include <cstdio>

#include "strict_loop.hpp"

namespace {

int tasks = 0;
/// In a task's first iteration its copy is as it was made.
void note(bool& is_new) {
  if (!is_new) return;
  is_new = false;
#pragma omp atomic
  ++tasks;
}

}  // namespace

int main(int argc, char**) {
  const bool has_down = argc == 1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    bool is_new = true;
#pragma omp taskloop firstprivate(is_new) grainsize(3)
    for (int i = 0; i < 7; ++i) note(is_new);
    if (has_down)
#pragma omp taskloop firstprivate(is_new) grainsize(9)
      for (long i = 20; i > 0; i -= 2) note(is_new);
#pragma omp taskloop firstprivate(is_new) grainsize(50)
    for (int i = 0; i < 20; ++i) note(is_new);
#pragma omp taskloop firstprivate(is_new) num_tasks(4)
    for (unsigned long long i = 5; i < 17; i += 3) note(is_new);
    if (has_down)
#pragma omp taskloop firstprivate(is_new) num_tasks(4)
      for (unsigned long long i = 30; i > 3; i -= 9) note(is_new);
#pragma omp taskloop firstprivate(is_new)
    for (int i = 0; i < 100; ++i) note(is_new);
#ifdef __clang__
    strict_loop(7, [](int, loop_task*) {
      bool is_first = true;
      note(is_first);
      return 0;
    });
#else
#pragma omp taskloop firstprivate(is_new) grainsize(strict : 3)
    for (int i = 0; i < 7; ++i) note(is_new);
#endif
#pragma omp taskloop firstprivate(is_new)
    for (int i = 0; i < tasks - tasks; ++i) note(is_new);
  }
  std::printf("%d\n", tasks);
}

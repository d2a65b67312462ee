// Calls of OpenMP whose region or team is easily taken for another one: the last act of a function
// that the runtime calls is a jump, and what is called returns into the runtime, as if that had
// called it; and a region that is serialized has a team of its own, inside one of two threads.
#include <omp.h>

namespace {

[[gnu::noinline]] void tasks(int n) {
  if (n == 0) {
    asm volatile("");
    return;
  }
#pragma omp task firstprivate(n)
  tasks(n - 1);
#pragma omp taskwait
}

/// A task's last act, which comes when the function of the region has returned.
[[gnu::noinline]] void wait_for_none() {
#pragma omp taskwait
}

[[gnu::noinline]] void nested() {
#pragma omp parallel num_threads(1)
  asm volatile("");
}

[[gnu::noinline]] void barrier() {
#pragma omp barrier
  asm volatile("");
}

}  // namespace

int main() {
  for (int i = 0; i < 50; ++i) {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    tasks(10);
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    for (int i = 0; i < 20; ++i) {
#pragma omp task
      wait_for_none();
    }
  }
#pragma omp parallel num_threads(2)
  nested();
#pragma omp parallel num_threads(2)
  {
    barrier();
#pragma omp parallel if (false)
    barrier();
    barrier();
  }
}

// A barrier that the first thread of a team calls from one place and the others from another, as
// compilers have it behind work of one thread, and one that all call from the same place.
#include <omp.h>

namespace {

[[gnu::noinline]] void of_first() {
#pragma omp barrier
  asm volatile("# first");  // so that it is no jump, nor one function with the others
}

[[gnu::noinline]] void of_others() {
#pragma omp barrier
  asm volatile("# others");
}

[[gnu::noinline]] void of_all() {
#pragma omp barrier
  asm volatile("# all");
}

}  // namespace

int main() {
#pragma omp parallel num_threads(3)
  for (int turn = 0; turn < 20; ++turn) {
    if (omp_get_thread_num() == 0) of_first();
    else of_others();
    of_all();
  }
}

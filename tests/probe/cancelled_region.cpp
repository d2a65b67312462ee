// A region whose threads meet twice at a barrier, and one that its first thread cancels while the
// others wait at another barrier, to which that thread never comes.
#include <omp.h>

namespace {

[[gnu::noinline]] void meet_twice() {
#pragma omp parallel num_threads(3)
  for (int turn = 0; turn < 2; ++turn) {
#pragma omp barrier
  }
}

[[gnu::noinline]] void cancel() {
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
    }
#pragma omp barrier
  }
}

}  // namespace

int main() {
  if (omp_get_cancellation() == 0) return 1;
  for (int i = 0; i < 20; ++i) {
    meet_twice();
    cancel();
  }
}

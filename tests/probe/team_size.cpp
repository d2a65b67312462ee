// Regions of a team as large as the environment says, and what the program writes depends on that.
// Few of them: on a busy machine each may take two time slices.
#include <omp.h>

#include <cstdio>

int main() {
  for (int i = 0; i < 50; ++i) {
#pragma omp parallel
    {
#pragma omp barrier
    }
  }
  std::printf("%d threads\n", omp_get_max_threads());
}

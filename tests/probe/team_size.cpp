// Regions of a team as large as the environment says, and what the program writes depends on that.
#include <omp.h>

#include <cstdio>

int main() {
  for (int i = 0; i < 200; ++i) {
#pragma omp parallel
    {
#pragma omp barrier
    }
  }
  std::printf("%d threads\n", omp_get_max_threads());
}

// MPI_Barrier in a loop between two readings of MPI_Wtime: what a program of a page tells of it.
// Usage: mpiexec -n N mpi_twin PU0,PU1,... REPEATS; one line for each repeat: ns for each barrier.
#include <mpi.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* pu = argc > 1 ? argv[1] : "0";
  for (int skip = rank; skip > 0 && *pu != '\0'; ++pu) skip -= *pu == ',' ? 1 : 0;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(std::atoi(pu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  constexpr int loops = 20000;
  for (int i = 0; i < loops; ++i) MPI_Barrier(MPI_COMM_WORLD);  // warm
  for (int repeat = argc > 2 ? std::atoi(argv[2]) : 1; repeat > 0; --repeat) {
    const double start = MPI_Wtime();
    for (int i = 0; i < loops; ++i) MPI_Barrier(MPI_COMM_WORLD);
    const double stop = MPI_Wtime();
    if (rank == 0) std::printf("%.2f\n", (stop - start) / loops * 1e9);
  }
  MPI_Finalize();
  return 0;
}

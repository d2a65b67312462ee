// The process that the driver starts. Starts ranks by mpiexec, gives the driver's pipes to rank 0,
// and makes all ranks end together.
#pragma once

#include <string>
#include <vector>

namespace syncmeter::mpi {

/// Returns the launch command: SYNCMETER_MPIEXEC, else the launcher found at build time, else
/// mpiexec.
[[nodiscard]] std::vector<std::string> launcher_words();
/// Returns why the launcher cannot start ranks (missing or not executable), or an empty text.
[[nodiscard]] std::string launcher_problem();

/// Starts KOKKOS_NUM_THREADS ranks of this program (default: one per PU) and waits for their end.
/// Returns the exit status: 0, or 1 after an error message on stderr.
[[nodiscard]] int supervise_ranks();

}  // namespace syncmeter::mpi

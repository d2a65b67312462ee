// The process that the driver starts: it has mpiexec start the ranks, hands rank 0 the driver's
// pipes, and sees to it that all of them end together.
#pragma once

#include <string>
#include <vector>

namespace syncmeter::mpi {

/// The words that start ranks: those of SYNCMETER_MPIEXEC, else the launcher that the worker was
/// built with, else mpiexec.
[[nodiscard]] std::vector<std::string> launcher_words();
/// Why it cannot start anything: not there, or no program. Empty where it can.
[[nodiscard]] std::string launcher_problem();

/// Starts as many ranks of this program as KOKKOS_NUM_THREADS says, else as there are PUs, and
/// comes back when all have ended. Returns the exit status: 0, or 1 after what went wrong was
/// written on stderr.
[[nodiscard]] int supervise_ranks();

}  // namespace syncmeter::mpi

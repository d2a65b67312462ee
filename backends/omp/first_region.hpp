// The first region of a process, which starts the threads. The worker's program runs in new
// processes.
#pragma once

#include <optional>

namespace syncmeter::omp {

/// Runs a process that enters one region with `threads` threads (0: no region) and ends. Returns
/// how many threads entered, modulo `exit_values`, or -1 if the process failed.
int entered_in_new_process(unsigned threads);
inline constexpr unsigned exit_values = 251;

/// Returns the exit status for such a process if the arguments start one. main() must call
/// as_new_process() first.
std::optional<int> as_new_process(int argc, char** argv);

}  // namespace syncmeter::omp

// The first region of a process, which starts the threads: in processes of their own, by the
// worker's program.
#pragma once

#include <optional>

namespace syncmeter::omp {

/// Runs a process that enters one region of so many threads, or none with 0, and ends. Returns how
/// many threads entered it, modulo `exit_values`; -1 where there was no such process.
int entered_in_new_process(unsigned threads);
inline constexpr unsigned exit_values = 251;

/// What main() has to do before all else: where these arguments are those of such a process, its
/// exit status.
std::optional<int> as_new_process(int argc, char** argv);

}  // namespace syncmeter::omp

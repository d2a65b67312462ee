// Prepares this process and starts other programs.
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/axes.hpp"
#include "driver/text/line_reader.hpp"

namespace syncmeter {

/// Opens closed descriptors among 0 to 2, because a later file or pipe would become a standard
/// stream. Writes to standard output or error then fail.
void open_standard_streams();

/// Makes the kernel report ended children to this process, even if the parent process ignored
/// SIGCHLD.
void restore_sigchld();

/// Subreaper for orphaned descendants. The destructor kills all descendants, including processes
/// that a worker left behind. Has no effect if this process had children before: a shell that
/// became this program may have left some.
class descendants {
 public:
  descendants();
  descendants(const descendants&) = delete;
  descendants& operator=(const descendants&) = delete;
  ~descendants();

 private:
  bool adopted_ = false;
};

/// A program and its launch environment.
struct program_to_start {
  std::string path;
  std::vector<std::string> arguments{};  ///< after the program's name
  wait_policy wait = wait_policy::active;
  unsigned threads = 0;     ///< pool size if the pool lives as long as the process, 0 = not set
  std::vector<int> cpus{};  ///< CPU mask in the system's numbers, empty = the driver's
  std::vector<std::string> settings{};  ///< NAME=VALUE replaces a variable, NAME alone removes the
                                        ///< variable
};

/// A started program and the driver's ends of its standard input, output and error. All ends are
/// close-on-exec and non-blocking.
struct started_program {
  pid_t pid = -1;
  unique_fd to, from, errors;
};

/// Returns the environment for a worker. Removes variables that would place threads, size the pool,
/// change waiting or watch launches. Sets OMP_WAIT_POLICY and, with `threads`, KOKKOS_NUM_THREADS.
/// `settings` override all variables: NAME=VALUE sets a variable, NAME alone removes the variable.
[[nodiscard]] std::vector<std::string>
worker_environment(wait_policy wait, unsigned threads = 0,
                   const std::vector<std::string>& settings = {});

/// Starts the program in its own process group. The program ignores SIGINT, SIGTERM and SIGHUP, and
/// dies with the calling thread. Throws std::runtime_error with the path and the system's message.
[[nodiscard]] started_program start_program(const program_to_start& what);

/// Starts the program `words` (path first) in this process group and environment. The program reads
/// nothing and writes on `out`. The caller reads its standard error. Throws like start_program.
[[nodiscard]] started_program start_writing_to(int out, const std::vector<std::string>& words);

/// Exit status and resource use of a program that ran in the driver's place.
struct finished_program {
  int wait_status = 0;  ///< from waitpid
  double wall_s = 0;
  double user_s = 0, system_s = 0;             ///< of the program and all children that were waited
                                               ///< for
  std::optional<double> voluntary_switches{};  ///< likewise: how often a thread gave up its CPU
  double involuntary_switches = 0;             ///< likewise: how often a thread lost its CPU
  bool timed_out = false;                      ///< killed at `longest_s`
  int interrupted_by = 0;  ///< signal that asked the driver to end, or ended the program from the
                           ///< terminal, 0 = none
};

/// Returns how often threads gave up their CPU to wait. Returns nothing if both counts are 0,
/// because some sandboxes do not count switches.
[[nodiscard]] std::optional<double> counted_switches(long voluntary, long involuntary);

/// Runs a user's program to its end in this process group and environment, plus `settings`.
/// `standard` defaults to the driver's streams. The program's input and output stay as without the
/// driver.
/// The program alone gets Ctrl-C. Ctrl-C interrupts the driver only if the program ends by the
/// signal or exits with status 130.
/// SIGTERM and SIGHUP are passed on to the program, and the second signal kills the program. A
/// stopped program continues for both signals. The program dies with the calling thread, and is
/// killed after `longest_s`.
/// Throws std::runtime_error if the program cannot be started.
[[nodiscard]] finished_program run_in_our_place(const std::string& path,
                                                const std::vector<std::string>& arguments,
                                                const std::vector<std::string>& settings,
                                                const std::array<int, 3>& standard = {0, 1, 2},
                                                std::optional<double> longest_s = std::nullopt);

}  // namespace syncmeter

// This process as others find it, and how it starts another program.
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/axes.hpp"
#include "driver/text/line_reader.hpp"

namespace syncmeter {

/// Opens descriptors 0 to 2 where they are closed, so that no file or pipe of ours becomes a
/// standard stream. What is then written to standard output or error is an error.
void open_standard_streams();

/// Children that end are reported to this process, even if its parent ignored SIGCHLD.
void restore_sigchld();

/// While it lives, processes that lose their parent among our descendants become our children; at
/// its end all descendants are killed: what a worker started and left behind. It does nothing where
/// this process had children when it began: a shell that became this program may have left some.
class descendants {
 public:
  descendants();
  descendants(const descendants&) = delete;
  descendants& operator=(const descendants&) = delete;
  ~descendants();

 private:
  bool adopted_ = false;
};

/// What to start, and in which launch environment.
struct program_to_start {
  std::string path;
  std::vector<std::string> arguments{};  ///< after the program's name
  wait_policy wait = wait_policy::active;
  unsigned threads = 0;     ///< of its pool, where it starts one for its whole life; 0 = not set
  std::vector<int> cpus{};  ///< its CPU mask, as the operating system numbers them; empty = ours
  std::vector<std::string> settings{};  ///< NAME=VALUE, in place of what its environment has; a
                                        ///< NAME alone is left out of it
};

/// A started program and our ends of its standard input, output and error. All are close-on-exec
/// and do not block.
struct started_program {
  pid_t pid = -1;
  unique_fd to, from, errors;
};

/// The environment of a worker: ours, without the settings that would place its threads, size its
/// pool, change how they wait or watch what they launch, and with OMP_WAIT_POLICY as the launch
/// environment has it; with `threads` also KOKKOS_NUM_THREADS. `settings` go over all of these.
/// Each entry is NAME=VALUE; a setting that is a NAME alone leaves it out.
[[nodiscard]] std::vector<std::string>
worker_environment(wait_policy wait, unsigned threads = 0,
                   const std::vector<std::string>& settings = {});

/// Starts the program in a process group of its own. It ignores SIGINT, SIGTERM and SIGHUP, and
/// dies when the thread that called this dies. Throws std::runtime_error with the path and the
/// system's message.
[[nodiscard]] started_program start_program(const program_to_start& what);

/// Starts a program with these words (its path first) in our process group and with our
/// environment. The program reads nothing and writes on `out`. We read its standard error. Throws
/// like start_program.
[[nodiscard]] started_program start_writing_to(int out, const std::vector<std::string>& words);

/// How a program in our place ended, and what it took.
struct finished_program {
  int wait_status = 0;  ///< as waitpid has it
  double wall_s = 0;
  double user_s = 0, system_s = 0;             ///< of it and of those that it waited for
  std::optional<double> voluntary_switches{};  ///< likewise: how often a thread gave up its CPU
  double involuntary_switches = 0;             ///< likewise: how often one was taken off it
  bool timed_out = false;                      ///< it was killed
  int interrupted_by = 0;  ///< the signal that asked us to end, or ended it from
                           ///< the terminal; 0: none
};

/// How often threads gave up their CPU to wait. Nothing where the system counts no switch of either
/// kind, as some sandboxes: that none happened is not known.
[[nodiscard]] std::optional<double> counted_switches(long voluntary, long involuntary);

/// Runs a user's program to its end with our process group and environment, but for the NAME=VALUE
/// of `settings`, and these standard streams, ours where none are named: what it reads and writes
/// is as without us. Ctrl-C is for it alone, and interrupts us where it ends the program, or that
/// exits with status 130 behind it; SIGTERM and SIGHUP are passed on to it, and the second of them
/// kills it. A stopped program continues for both signals. The
/// program ends with this thread. Where it runs for longer than `longest_s` it is killed. Throws
/// std::runtime_error when it cannot be started.
[[nodiscard]] finished_program run_in_our_place(const std::string& path,
                                                const std::vector<std::string>& arguments,
                                                const std::vector<std::string>& settings,
                                                const std::array<int, 3>& standard = {0, 1, 2},
                                                std::optional<double> longest_s = std::nullopt);

}  // namespace syncmeter

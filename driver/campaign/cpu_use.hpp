// Who used the CPUs while a campaign ran: the campaign itself, other programs of this machine, or
// the hypervisor. From the kernel's counts, read at both ends.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/results/campaign_lines.hpp"

namespace syncmeter {

/// One process as /proc/PID/stat has it, times since it started.
struct process_times {
  std::string name;
  int parent = 0;
  std::int64_t started = 0;  ///< ticks since boot: tells two processes of one number apart
  double cpu_ns = 0;         ///< also of the processes that it started and waited for
};

/// Of all processes that ran in a cgroup (v2), since it is there.
struct cgroup_time {
  std::string directory;
  double used_ns = 0;
};

/// The kernel's counts at one moment, since boot.
struct cpu_times {
  double now_ns = 0;  ///< of a steady clock
  std::size_t allowed_pus = 0;
  double used_ns = 0, stolen_ns = 0;
  double own_ns = 0;  ///< of this process and of the children that it waited for
  double waited_ns = 0;
  double threads_started = 0;              ///< of all programs
  std::optional<cgroup_time> cgroup{};     ///< this process's, where `processes` lacks some of the
                                           ///< machine's, but none that is in it
  std::map<int, process_times> processes;  ///< by number
};

/// Of the processing units named (operating system's numbers). `root` goes before every path ("" on
/// the real machine). What the kernel does not count is 0.
[[nodiscard]] cpu_times read_cpu_times(const std::vector<int>& pus, const std::string& root = "");

/// What happened between two readings. Of processes that ended in between, the time is their
/// parents'; that of process `own`, and of those it started, is left out of the programs.
[[nodiscard]] objects::cpu_use cpu_use_between(const cpu_times& before, const cpu_times& after,
                                               int own);

/// Of the allowed CPUs' time between two readings, what programs beside `own` and those that it
/// started used, and the kernel for whomever; nothing where no counts can be read.
[[nodiscard]] std::optional<double> share_of_others(const cpu_times& before, const cpu_times& after,
                                                    int own);

/// Returns the hypervisor's share in the allowed CPUs' time between two readings, or nothing if no
/// counts can be read.
[[nodiscard]] std::optional<double> share_stolen(const cpu_times& before, const cpu_times& after);

}  // namespace syncmeter

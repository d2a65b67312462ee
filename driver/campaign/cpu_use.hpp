// Measures who used the CPUs during a campaign: the campaign itself, other programs on this
// machine, or the hypervisor. Reads the kernel's counts at both ends.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/results/campaign_lines.hpp"

namespace syncmeter {

/// A process in /proc/PID/stat, with times since its start.
struct process_times {
  std::string name;
  int parent = 0;
  std::int64_t started = 0;  ///< ticks since boot: distinguishes processes with the same number
  double cpu_ns = 0;         ///< includes children that it waited for
};

/// The time of all processes in a cgroup (v2), since its creation.
struct cgroup_time {
  std::string directory;
  double used_ns = 0;
};

/// The kernel's counts at one moment, since boot.
struct cpu_times {
  double now_ns = 0;  ///< by a steady clock
  std::size_t allowed_pus = 0;
  double used_ns = 0, stolen_ns = 0;
  double own_ns = 0;  ///< this process and the children that it waited for
  double waited_ns = 0;
  double threads_started = 0;              ///< by all programs
  std::optional<cgroup_time> cgroup{};     ///< of this process, if `processes` lacks processes
                                           ///< outside the cgroup only
  std::map<int, process_times> processes;  ///< by number
};

/// Reads the counts for the processing units named (OS numbers). `root` precedes every path ("" on
/// the real machine). Missing counts are 0.
[[nodiscard]] cpu_times read_cpu_times(const std::vector<int>& pus, const std::string& root = "");

/// Returns the CPU use between two readings. The time of processes that ended in between belongs to
/// their parents. Leaves out process `own` and its children from the programs.
[[nodiscard]] objects::cpu_use cpu_use_between(const cpu_times& before, const cpu_times& after,
                                               int own);

/// Returns the share in the allowed CPUs' time between two readings that programs except `own` and
/// its children used, including the kernel for any program. Returns nothing if no counts can be
/// read.
[[nodiscard]] std::optional<double> share_of_others(const cpu_times& before, const cpu_times& after,
                                                    int own);

/// Returns the hypervisor's share in the allowed CPUs' time between two readings, or nothing if no
/// counts can be read.
[[nodiscard]] std::optional<double> share_stolen(const cpu_times& before, const cpu_times& after);

}  // namespace syncmeter

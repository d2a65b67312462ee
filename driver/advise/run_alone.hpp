// The program without sharing: one thread does all work, or all threads run on one CPU. The CPU
// time of the run alone bounds the gain of a change without sharing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/advise/counts.hpp"
#include "driver/advise/rules.hpp"

namespace syncmeter {

/// Pins the calling thread and its children to one of these CPUs while the object lives.
class pinned_to_one_cpu {
 public:
  explicit pinned_to_one_cpu(const std::vector<int>& allowed);
  pinned_to_one_cpu(const pinned_to_one_cpu&) = delete;
  pinned_to_one_cpu& operator=(const pinned_to_one_cpu&) = delete;
  ~pinned_to_one_cpu();

 private:
  std::vector<int> before_;
};

/// Returns whether OpenMP's runtime starts all threads: OMP_THREAD_LIMIT=1 then leaves one thread.
[[nodiscard]] bool uses_openmp_alone(const std::vector<site>& sites);

/// Returns whether record/experiments.def asks for the run alone: threads lose time to a lock, or
/// share atomic variables, chunks, tasks or reader locks. `wall_s` is the time of the timed run.
[[nodiscard]] bool needs_run_alone(const call_counts& timed, double wall_s);

/// Returns the time limit for a run alone: five times the work of all CPUs in a plain run. Spinning
/// threads on one CPU may take longer.
[[nodiscard]] double longest_alone_s(double plain_s, double cpus);

/// Returns an upper bound for threads at work at the same time: all created threads and the first.
[[nodiscard]] unsigned most_threads(const std::vector<site>& sites);

/// Lowers the gain of a change without sharing to the bound from the run alone. The time after the
/// change is at least CPU time alone / min(threads, CPUs), less the removed calls. If counting
/// disturbs the program, the bound replaces a gain from timed runs.
void bound_by_run_alone(advice& each, const std::vector<site>& sites,
                        const advice_setting& setting);

}  // namespace syncmeter

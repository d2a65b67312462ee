// What a site takes of a program's time, and how its threads meet there: from what was timed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "driver/advise/counts.hpp"

namespace syncmeter {

/// Nothing for a site that was not timed, or that waits for nobody.
[[nodiscard]] std::optional<site_cost> cost_of(const site& of);
/// Different threads that call these sites; those whose numbers are not known are others at each.
[[nodiscard]] unsigned threads_at(std::span<const std::size_t> ids, const std::vector<site>& sites);
/// Of a site's waits for signals, those for some conditions: not all of its threads wait for each.
struct part_of_waits {
  double share = 0;         ///< of those that were timed
  std::uint64_t calls = 0;  ///< counted
  std::set<std::uint64_t> waiters{};
};
[[nodiscard]] part_of_waits waits_for(const std::set<std::uint64_t>& conditions, const site& of);
/// From so many on disturbed runs are left out.
inline constexpr std::ptrdiff_t fewest_undisturbed_runs = 3;
/// Those in which others had not the processors, where these are enough; or else all.
[[nodiscard]] std::vector<site_cost> undisturbed_runs(std::vector<site_cost> runs);
/// Each part the median.
[[nodiscard]] site_cost median_of_runs(const std::vector<site_cost>& runs);
/// Adds what a site takes in each timed run to what another one does.
void add_cost_of_runs(const std::vector<site_cost>& from, std::vector<site_cost>& to);
/// What threads wait in one run of the program.
struct run_waits {
  double waits_s = 0, run_s = 0;
  bool is_timed = true;  ///< a run in which that was timed; otherwise one as it is
};
/// The run in which threads wait for the greatest part of its time, of `part` of what they take in
/// each timed run: no change saves a greater one. Work takes about as long in one run as in
/// another, and what a run of `longest_s` takes more than a timed one may be waiting, too; less
/// than 2 % of it is chance. Each timed run has its wall time.
[[nodiscard]] run_waits longest_waits(const std::vector<site_cost>& runs,
                                      double (*part)(const site_cost&), double longest_s);
/// Of threads that meet, until one goes on that slept or was not there: of a region until it has
/// begun; of a barrier those that wait for the last one.
[[nodiscard]] double start_ns(const site& of);
/// Whether threads that meet wait mostly for the last one, which began when the others did: those
/// that begin late end late.
[[nodiscard]] bool waits_for_late_threads(const site& of);
/// Whether threads meet at it, and were timed.
[[nodiscard]] bool is_timed_meeting(const site& of);
/// The mean times between the regions and barriers of a run.
struct meeting_pace {
  double before_region_ns = 0;  ///< by one thread
  double before_barrier_ns = 0;
};
[[nodiscard]] meeting_pace pace_of(const std::vector<site>& sites, double wall_s);

/// Of a run of `wall_s`, that the teams of a site's threads are at work: of a region from its call
/// to its return, all of them, of a barrier all regions with a team as large. All of the run where
/// not each region was timed, or none is known.
[[nodiscard]] double in_regions_s(const site& of, const std::vector<site>& sites, double wall_s);

/// What the work of a thread is from the begin to the end of a region, or from one barrier to the
/// next, in ns.
[[nodiscard]] double work_ns(const site& of, const meeting_pace& pace);
/// Calls that come one after another: those of a thread, those at which all of its threads meet,
/// and those for one lock, whichever thread they are of.
[[nodiscard]] double calls_in_turn(const site& of);
/// Of the threads that met at a site that was timed, those that met another one on their processor.
[[nodiscard]] double same_processor_share(const site& of);

/// Of regions: what the threads of a team add to the result behind their parts, of the wall time,
/// by samples. Fewer regions have fewer reductions.
[[nodiscard]] double reduction_share(const site& region, const std::vector<site>& all);

/// Whether teams of this size make a task for each time that threads meet here, and more: whoever
/// waits does tasks meanwhile, and it is work.
[[nodiscard]] bool has_tasks_at_each(const site& of, const std::vector<site>& sites);
/// What a thread waits for the last one where teams of the size of this site's meet, all sites
/// together that may be due to it: of tasks those at which threads run some, else those of the same
/// function, or, where that is not known, all.
[[nodiscard]] double late_in_team_s(const site& due_to, const std::vector<site>& sites);
/// Runtimes of OpenMP start their teams themselves.
[[nodiscard]] bool is_of_openmp(const site& of);
/// Of threads that sleep before each region, all but the one that begins it.
[[nodiscard]] double wakings_of_regions(const std::vector<site>& sites);
/// Threads that a runtime creates for the program's regions.
[[nodiscard]] std::uint64_t created_by_runtimes(const std::vector<site>& sites);

/// Of one thread's path, and of synchronization: neither work under a lock nor a thread without
/// any, which waits for a signal or for another one's end.
[[nodiscard]] double synchronizing_s(const site& of);

}  // namespace syncmeter

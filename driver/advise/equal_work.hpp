// How late threads come on this machine that have the same work: its processors are unequally fast,
// and others take them for a while. No schedule of a program's is to blame for so much.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/machine/topology.hpp"
#include "driver/advise/counts.hpp"
#include "driver/advise/prices.hpp"

namespace syncmeter {

/// What stands in a price's point for an op: how late a thread comes is its cost.
inline constexpr std::string_view equal_work_name = "equal_work";

/// From a thread's arrival to the last one's, in ns, the mean over threads and over the rounds that
/// this time has room for, at least 10. Each thread has work of so many ns, which touches no
/// memory, and spins until all have theirs. `pus`: one for each thread; empty: wherever the system
/// puts them.
[[nodiscard]] double lateness_of_equal_work(const topology& machine, const std::vector<int>& pus,
                                            unsigned threads, unsigned work_ns, double seconds);

/// Notes with each site how late its threads came in another timed run.
void add_lateness_of_run(std::vector<site>& sites, const std::vector<site>& of_run,
                         std::size_t run);

/// How long a site's threads waited for the last one in a timed run, and how long with equal work,
/// as often and as long as the site's.
struct lateness_beside_equal_work {
  double lateness_s = 0, equal_work_s = 0;
  [[nodiscard]] double more_s() const { return lateness_s - equal_work_s; }
};
/// Of each timed run with equal work beside it: the longer of what was measured just before that
/// run, and first behind it where no other timed run lies between.
[[nodiscard]] std::vector<lateness_beside_equal_work>
lateness_in_turn(const site& of, const meeting_pace& pace, const std::vector<price>& prices);

/// By what a site's threads are judged: by each timed run where there are three or more. What
/// disturbs the machine comes and goes, and equal work meets it as often as the program; work that
/// is divided unequally is so in each run. Fewer are judged by the first of them, which took
/// `lateness_s`, and the latest equal work of all. Nothing without equal work.
[[nodiscard]] std::vector<lateness_beside_equal_work> judged_turns(const site& of,
                                                                   const meeting_pace& pace,
                                                                   const std::vector<price>& prices,
                                                                   double lateness_s);
/// The one with the least difference, which decides: `turns` has one at least.
[[nodiscard]] const lateness_beside_equal_work&
deciding_turn(const std::vector<lateness_beside_equal_work>& turns);

}  // namespace syncmeter

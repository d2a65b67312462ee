// How late threads come on this machine that have the same work: its processors are unequally fast,
// and others take them for a while. No schedule of a program's is to blame for so much.
#pragma once

#include <cstddef>
#include <optional>
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

/// The latest of all measurements at the length of work that is nearest to a site's, for work as
/// long as the site's; nothing without a measurement.
[[nodiscard]] std::optional<double> latest_of_equal_work(const site& of, const meeting_pace& pace,
                                                         const std::vector<price>& prices);

/// Notes with each site how late its threads came in another timed run.
void add_lateness_of_run(std::vector<site>& sites, const std::vector<site>& of_run,
                         std::size_t run);

/// How long a site's threads waited for the last one in a timed run, and how long with equal work
/// at the same time: the longer of what was measured just before that run and just after it.
struct lateness_beside_equal_work {
  double lateness_s = 0, equal_work_s = 0;
};
/// Of each timed run with equal work beside it.
[[nodiscard]] std::vector<lateness_beside_equal_work>
lateness_in_turn(const site& of, const meeting_pace& pace, const std::vector<price>& prices);

}  // namespace syncmeter

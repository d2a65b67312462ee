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

/// From a thread's arrival to the last one's, in ns, the mean over threads and over as many rounds
/// as this time has room for, at least 10. Each thread has work of so many ns, which touches no
/// memory, and spins until all have theirs. `pus`: one for each thread; empty: wherever the system
/// puts them.
[[nodiscard]] double lateness_of_equal_work(const topology& machine, const std::vector<int>& pus,
                                            unsigned threads, unsigned work_ns, double seconds);

/// The latest of all measurements at the length of work that is nearest to a site's, for work as
/// long as the site's; nothing without a measurement.
[[nodiscard]] std::optional<double> latest_of_equal_work(const site& of, const meeting_pace& pace,
                                                         const std::vector<price>& prices);

}  // namespace syncmeter

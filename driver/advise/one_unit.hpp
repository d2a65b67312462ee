// What a program takes on one processing unit: no cache line moves there, so that its CPU time is
// the work of its threads.
#pragma once

#include <string>
#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// Whether a run on one unit may tell more: threads load and store where much of the CPU time is,
/// or sleep for each other, and the CPU time of a plain run is known.
[[nodiscard]] bool is_worth_one_unit(const std::vector<site>& sites, double wall_s, double user_s);

/// Whether most of the CPU time is that of cache lines that move from unit to unit.
[[nodiscard]] bool moves_lines(const advice_setting& setting);

/// Why threads that sleep for each other, or wake each other under a lock, are not told to be awake
/// at the same time: most of the CPU time is that of lines that move. Empty where that is not so.
[[nodiscard]] std::string why_not_awake(const std::vector<site>& sites,
                                        const advice_setting& setting);

/// Of loads and stores that take much of the CPU time without a call that explains it, with what
/// lines of their own save at most, where the program has run on one unit.
[[nodiscard]] std::vector<std::string> sentences_on_memory(const std::vector<site>& sites,
                                                           const advice_setting& setting);

}  // namespace syncmeter

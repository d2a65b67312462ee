// What a program takes on one processing unit with as many threads: no cache line moves there, so
// that its CPU time is about the work of its threads.
#pragma once

#include <string>
#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// Whether a run on one unit may tell more: threads load and store where much of the CPU time is,
/// and the CPU time of a plain run is known.
[[nodiscard]] bool is_worth_one_unit(const std::vector<site>& sites, double wall_s, double user_s);

/// For how long a program may run there that takes `work_s`, one thread after another, where so
/// much of the budget is left; 0: no such run. Threads that spin for each other do not end there.
[[nodiscard]] double longest_on_one_unit_s(double work_s, double left_s);

/// NAME=VALUE with which a runtime of OpenMP starts as many threads there as it did elsewhere,
/// where the environment does not say how many: it counts the units that it may use.
[[nodiscard]] std::vector<std::string> settings_on_one_unit(const std::vector<site>& sites);

/// That most of the CPU time of threads that sleep for each other may be that of lines that move,
/// which takes more than the ratio of both runs: anything else that threads share makes them slower
/// too. Empty where that is not known.
[[nodiscard]] std::string sentence_on_moving_lines(const std::vector<site>& sites,
                                                   const advice_setting& setting);

/// Of loads and stores that take much of the CPU time without a call that explains it, with about
/// what lines of their own save, where the program has run on one unit.
[[nodiscard]] std::vector<std::string> sentences_on_memory(const std::vector<site>& sites,
                                                           const advice_setting& setting);

}  // namespace syncmeter

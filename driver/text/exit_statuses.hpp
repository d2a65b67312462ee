// How the driver ends.
#pragma once

namespace syncmeter {

/// Of `run`, beside 0, 1 (a point or a command failed) and 2 (wrong usage). Signals end it as a
/// shell has it: 128 and the signal's number.
inline constexpr int exit_budget_spent = 3;
inline constexpr int exit_misses_visits = 4;

inline constexpr const char* exit_statuses =
    "0 success, 1 a point or a command failed, 2 wrong usage,\n3 the --budget was spent before all "
    "visits, 4 a resumed plan has visits that\ncannot be measured here, 130 Ctrl-C.";

}  // namespace syncmeter

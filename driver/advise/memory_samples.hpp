// What samples say of instructions on memory: the most that fewer atomic operations save, and that
// cache lines of their own save of time at loads and stores, which no call explains.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// Of the wall time, the most that a change at such an instruction saves: what one thread spends at
/// it and at the loads and stores of the same function, which may wait for the same lines.
[[nodiscard]] double most_of_path(const site_samples& of);

/// Of atomic operations that several threads do: bounds, in the longest run.
[[nodiscard]] std::vector<advice> advise_on_atomics(const std::vector<site>& sites,
                                                    double longest_s);
/// Of loads and stores that take much of the CPU time without a call that explains it: samples do
/// not tell a line that several threads write to from other memory, so that lines of their own save
/// between nothing and what is spent there. Without wall times no saving is named.
[[nodiscard]] std::vector<std::string>
sentences_on_memory(const std::vector<site>& sites, const std::optional<interval>& plain_wall_s);

}  // namespace syncmeter

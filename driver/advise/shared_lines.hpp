// Locks of different threads in one cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// A thread that takes a lock which no other one takes waits for nobody; but where its cache line
/// has a lock of another thread, the line goes from one processor to the other at each call. One
/// advice for each site; adds the numbers of these locks to `advised`.
[[nodiscard]] std::vector<advice> advise_on_shared_lines(const std::vector<site>& sites,
                                                         const advice_setting& setting,
                                                         std::set<std::uint64_t>& advised);

}  // namespace syncmeter

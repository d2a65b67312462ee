// Which points of two builds are equal machine code: what these cost cannot differ.
#pragma once

#include <utility>
#include <vector>

#include "driver/plan/plan.hpp"

namespace syncmeter {

/// For each pair of points, of workers `a` and `b`, whether all loops that are measured are equal
/// but for registers' names, addresses and labels, and call nothing: what is called may differ.
/// False where the code cannot be read.
[[nodiscard]] std::vector<bool>
equal_code(const std::vector<std::pair<const planned_point*, const planned_point*>>& pairs,
           const std::vector<worker_info>& a, const std::vector<worker_info>& b);

}  // namespace syncmeter

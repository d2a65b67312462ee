// The points that price what a program's calls of CUDA and its kernels do, as many as a budget has
// room for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/advise/counts.hpp"
#include "driver/plan/plan.hpp"

namespace syncmeter {

/// Points of kernels that are measured in half of this budget.
[[nodiscard]] std::size_t room_for_kernels(double budget_s);

/// Of those sites that take a share of `wall_s` that is worth advice. What has no room becomes a
/// note.
[[nodiscard]] std::vector<planned_point> gpu_points(const std::vector<site>& sites, double wall_s,
                                                    double budget_s,
                                                    std::vector<std::string>& notes);

}  // namespace syncmeter

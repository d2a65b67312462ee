// Points of different backends that measure the same thing on the same device: what a portable API
// makes of a primitive beside what the native one does.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/plan/plan.hpp"

namespace syncmeter {

/// Equal for two points that differ in nothing but their backend and in what only one API can say:
/// the spelling, the scope and the memory space of an op.
[[nodiscard]] std::string counterpart_key(point p, bool on_gpu);

/// Leaves those points that some other backend measures too, native and portable ones together;
/// refusals stay, as they say what one of them lacks. Throws usage_error when nothing is left.
void keep_counterparts(campaign_plan& plan, const std::vector<worker_info>& workers);

/// The indices of plan.points in groups that are visited together: a point of both arms where the
/// plan has arms, else counterparts when `interleaved`,
/// points that differ in the layout of their cells alone, in waiting and lateness alone, or in
/// backend, op and order alone, when the plan says so, else each alone.
[[nodiscard]] std::vector<std::vector<std::size_t>> groups_of(const campaign_plan& plan,
                                                              bool interleaved);

}  // namespace syncmeter

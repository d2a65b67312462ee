// What a step across GPUs costs: barriers, accesses and handoffs between the devices of one host.
#pragma once

#include <string>
#include <vector>

#include "cli/results.hpp"
#include "cli/studies.hpp"

namespace syncmeter {

[[nodiscard]] study multi_gpu_study();

/// The devices that a point works on: the one that it is measured on, and those behind it.
[[nodiscard]] unsigned gpus_taking_part(const point& what);

/// The devices and their links; barriers by devices, blocks and threads; accesses by where the
/// cells lie; handoffs with what their litmus counted. Empty where a file has none of these ops.
[[nodiscard]] std::string multi_gpu_text(const results_file& file,
                                         const std::vector<point_summary>& points);

}  // namespace syncmeter

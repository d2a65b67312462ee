// Files of `syncmeter ab` that were begun before the arm was an axis of the point: their lines name
// the backend of an arm "omp@old".
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace syncmeter {

/// Of a line behind the campaign line: the backend becomes "omp", the point's arm "old", and the
/// key of a visit that of this point. A line of today stays as it is.
void split_arms(nlohmann::json& line);

/// Of a campaign line: the counts of its plan and its GPUs by plain backend.
void split_arms_of_plan(nlohmann::json& campaign);

}  // namespace syncmeter

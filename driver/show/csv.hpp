// Every point of a summary as comma-separated values, for spreadsheets and scripts.
#pragma once

#include <string>
#include <vector>

#include "driver/results/estimate.hpp"

namespace syncmeter {

/// RFC 4180 with a header; every column of a quantity names its unit. A cost that was not resolved
/// has its upper bound only, one below 0 nothing but the times of both sides. A text has no control
/// characters and, where a spreadsheet would take it for a formula, an apostrophe before it.
[[nodiscard]] std::string to_csv(const std::vector<point_summary>& points);

/// The same rows as a JSON array of objects: cells without a value are left out, numbers and truths
/// are such.
[[nodiscard]] std::string to_json_text(const std::vector<point_summary>& points);

}  // namespace syncmeter

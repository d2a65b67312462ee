// Every point of a summary as comma-separated values, for spreadsheets and scripts.
#pragma once

#include <string>
#include <vector>

#include "driver/results/results.hpp"

namespace syncmeter {

/// RFC 4180 with a header; every column of a quantity names its unit. A cost that was not resolved
/// has its upper bound only, one below 0 nothing but the times of both sides.
[[nodiscard]] std::string to_csv(const std::vector<point_summary>& points);

/// The same rows as a JSON array of objects: cells without a value are left out, numbers and truths
/// are such.
[[nodiscard]] std::string to_json_text(const std::vector<point_summary>& points);

/// Throws usage_error when the file cannot be written; what stood there stays. To be called before
/// measuring, so that a wrong name does not cost a campaign's export.
void require_writable(const std::string& path);
/// Throws std::runtime_error when the file cannot be written in full.
void write_csv(const std::string& path, const std::vector<point_summary>& points);

}  // namespace syncmeter

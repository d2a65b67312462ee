// Prints the census as text for people and as JSON for tools.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/census/rule/census.hpp"

namespace syncmeter {

/// Returns a table with a row per entry, then the reasons, the groups with equal code and the
/// number of entries per verdict.
[[nodiscard]] std::string census_table(const std::vector<census_entry>& census);

/// Returns lines in 80 columns, for each op a line per different code with its axis values (only
/// axes that differ). Ends with the number of entries per verdict.
[[nodiscard]] std::string census_by_op(const std::vector<census_entry>& census);

/// Returns an object per entry: the axes (null if the op lacks the axis), "architecture" (null on a
/// CPU), and "loop_instructions" for 0, 1, 2 and 4 measured ops.
/// Also "loops" (classes per loop), "per_op", "once_per_loop", "declared", "verdict", "reason",
/// "same_code_group".
[[nodiscard]] nlohmann::json census_json(const std::vector<census_entry>& census);

/// Returns the members for a results file: "verdict", "reason", "architecture", "per_op", and the
/// classes of the "baseline" and "test" loops.
[[nodiscard]] nlohmann::json census_summary(const census_entry& entry);

/// An entry with code in the file, and its op.
struct found_entry {
  census_entry entry;
  capability what;
};

[[nodiscard]] std::string found_table(const std::vector<found_entry>& found);
[[nodiscard]] nlohmann::json found_json(const std::vector<found_entry>& found);

}  // namespace syncmeter

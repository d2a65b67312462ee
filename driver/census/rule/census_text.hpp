// The census as text for people and as JSON for tools.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/census/rule/census.hpp"

namespace syncmeter {

/// Column headings, one row per entry, and below it a reason for every entry that has one, the
/// groups of equal code and the number of entries per verdict.
[[nodiscard]] std::string census_table(const std::vector<census_entry>& census);

/// In 80 columns: of each op a line for each code that it compiled to, with the values of the axes
/// for which it did (those that make no difference are left out), and the number of entries per
/// verdict.
[[nodiscard]] std::string census_by_op(const std::vector<census_entry>& census);

/// One object per entry: the axes (null where the op does not have one), "architecture" (null on a
/// CPU), "loop_instructions" for 0, 1, 2 and 4 measured ops, "loops" (the
/// classes of each), "per_op", "once_per_loop", "declared", "verdict", "reason", "same_code_group".
[[nodiscard]] nlohmann::json census_json(const std::vector<census_entry>& census);

/// What a results file keeps of one entry: "verdict", "reason", "architecture", "per_op", and the
/// classes of the "baseline" loop and the "test" loop.
[[nodiscard]] nlohmann::json census_summary(const census_entry& entry);

/// An entry of which the file has code, and the op that it is of.
struct found_entry {
  census_entry entry;
  capability what;
};

[[nodiscard]] std::string found_table(const std::vector<found_entry>& found);
[[nodiscard]] nlohmann::json found_json(const std::vector<found_entry>& found);

}  // namespace syncmeter

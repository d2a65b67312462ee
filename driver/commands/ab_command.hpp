// `syncmeter ab A B`: two builds side by side, in one campaign.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace syncmeter {

/// Plans, measures and compares; `program` is how the driver was called. Returns 0 where nothing
/// got slower, 1 where something did, 2 where nothing can be compared. Throws usage_error.
int ab_command(const std::string& program, const std::vector<std::string>& arguments,
               std::FILE* out);

}  // namespace syncmeter

// `syncmeter run`: plan, measure, show.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace syncmeter {

/// `program` stands first in the argv that the results file records. Returns the exit status: 1
/// when a point failed.
int run_command(const std::string& program, const std::vector<std::string>& arguments,
                std::FILE* out);

}  // namespace syncmeter

// `syncmeter topology`: this machine, what of it may be used, and where each policy puts the lanes.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "core/machine/topology.hpp"
#include "driver/text/command_line.hpp"

namespace syncmeter {

/// Prints the command's text to `out` and returns the exit status, 0. `arguments` are those after
/// the word `topology`; `--help` lists them. Throws usage_error for an argument that is not known,
/// and for a file or description that hwloc cannot read.
[[nodiscard]] int topology_command(const std::vector<std::string>& arguments, std::FILE* out);

/// Its options, for the completion of shells and the manual page.
[[nodiscard]] std::vector<option_row> topology_rows();

/// PU numbers in the order given; three or more in a row as "a-b", four or more with the same step
/// s between them as "a-b:s": {0, 1, 2, 8, 10, 12, 14, 5} is "0-2 8-14:2 5".
[[nodiscard]] std::string pus_text(std::span<const int> pus);

}  // namespace syncmeter

// The lanes of one policy on a machine: as text below `syncmeter topology`'s table, and as a
// drawing.
#pragma once

#include <span>
#include <string>

#include "core/machine/topology.hpp"

namespace syncmeter {

/// A row for each lane, what they have in common, and whether a quota pays for so many.
[[nodiscard]] std::string lanes_text(const topology& machine, const cpu_grant& grant,
                                     affinity policy, std::span<const int> pus);

/// Draws them (driver/topology/topology_svg.hpp) into a file, over what may stand there. `name`:
/// what the machine is called. Throws usage_error when the file cannot be written.
void write_svg(const std::string& path, const topology& machine, const std::string& name,
               affinity policy, std::span<const int> pus);

}  // namespace syncmeter

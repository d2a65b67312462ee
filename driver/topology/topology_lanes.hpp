// The lanes of one policy on a machine: as text below `syncmeter topology`'s table, and as a
// drawing.
#pragma once

#include <span>
#include <string>

#include "core/machine/topology.hpp"
#include "driver/text/output_file.hpp"

namespace syncmeter {

/// A row for each lane, what they have in common, and whether a quota pays for so many.
[[nodiscard]] std::string lanes_text(const topology& machine, const cpu_grant& grant,
                                     affinity policy, std::span<const int> pus);

/// Draws them (driver/topology/topology_svg.hpp) into a file. `name`: what the machine is called.
/// Throws as write_whole does.
void write_svg(const output_file& file, const topology& machine, const std::string& name,
               affinity policy, std::span<const int> pus);

}  // namespace syncmeter

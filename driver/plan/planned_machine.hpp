// The machine that a campaign is planned on: this one, or one that a file describes.
#pragma once

#include <string>

#include "core/machine/topology.hpp"
#include "driver/plan/options.hpp"

namespace syncmeter {

struct planned_machine {
  topology machine;
  cpu_grant grant;  ///< of a machine that only a file tells of: every PU, no quota
};

/// With --topology and --dry-run, the machine of the file. With --topology alone, this machine as
/// the file describes it, for this process and for workers that it starts from now on
/// (HWLOC_XMLFILE and HWLOC_THISSYSTEM are set). Else this machine. Throws usage_error for a file
/// that hwloc cannot read, and for one that does not fit this machine.
[[nodiscard]] planned_machine machine_for(const run_options& options);

/// Why a machine of a file cannot be this one: the PUs that differ. Empty where it can: it has
/// every PU that this process may use, and none that this machine has not. `here` is what hwloc
/// finds.
[[nodiscard]] std::string topology_mismatch(const topology& of_file, const topology& here);

}  // namespace syncmeter

// The machine for a campaign's plan, and the PUs and cells that options or a study name. Describes
// every placement in words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/machine/topology.hpp"
#include "core/point.hpp"
#include "driver/plan/options.hpp"
#include "driver/plan/plan.hpp"
#include "driver/plan/study.hpp"

namespace syncmeter {

/// Throws usage_error if --cpus names a PU missing in this machine or forbidden for this process.
void require_pus(const std::vector<int>& pus, const topology& machine);

/// Throws usage_error if `option` asks for more lanes than max_lanes() allows, unless
/// --oversubscribe is given.
void require_lanes(std::string_view option, unsigned lanes, const run_options& options,
                   const topology& machine, const cpu_grant& grant);

/// Throws usage_error if --cpus or a study of pairs places lanes, but lanes cannot be bound here.
void require_bound(const run_options& options, bool pairs, const cpu_grant& grant);

/// Returns the PUs for the lanes of each point, in lane order. Without `pairs` it is --cpus, or an
/// empty list: lanes and affinity decide. With `pairs`, it is every pair of PUs (from --cpus, if
/// given) both ways round, or a sample from each class (core/machine/topology.hpp). Throws
/// usage_error when there is no pair.
[[nodiscard]] std::vector<std::vector<int>>
pinned_lanes(const run_options& options, bool pairs, const topology& machine, unsigned max_lanes);

/// Returns the PUs in --cpus, or all PUs allowed for this process.
[[nodiscard]] std::vector<processing_unit> units_wanted(const run_options& options,
                                                        const topology& machine);

struct cell_layout {
  unsigned stride = 0;       ///< elements between the cells of neighbouring lanes
  unsigned base_offset = 0;  ///< bytes from the start of a line to the first cell
  unsigned cells = 0;        ///< cells that the lanes share; 0: one per lane
};

/// Returns every stride at every base offset and number of cells: the user's, else the study's,
/// else one line. A study's cell numbers divide `lanes` evenly.
[[nodiscard]] std::vector<cell_layout> layouts_of(const run_options& options,
                                                  const study_axes& axes, value_type type,
                                                  unsigned lanes, unsigned line_bytes);

/// Returns why a point's cell layout is impossible, or an empty string.
[[nodiscard]] std::string why_no_layout(const point& p);

/// Returns the PUs' places for the campaign line, because other machines read results files.
/// Contains the wanted PUs if a point of the plan names PUs or shares cells, else null.
[[nodiscard]] nlohmann::json units_named(const campaign_plan& plan, const run_options& options,
                                         const topology& machine);

/// Returns one row per lane. `pus` has the OS number of each lane's PU. A row has no places for -1
/// and for a PU that `machine` may not use.
[[nodiscard]] std::string lane_table(const topology& machine, std::span<const int> pus);

/// Returns what a reader must know about the lanes in one line: "lanes 0,1 on IntelCore, 2-5 on
/// IntelAtom; lanes that share a core: 0+6, 1+7". Empty if every lane has a core to itself and all
/// cores are alike.
[[nodiscard]] std::string lane_note(const topology& machine, std::span<const int> pus);

/// Returns lane_note() for each policy in a plan, at its most lanes, because fewer lanes use the
/// first PUs. Begins with the policy and the number. Leaves out policies with an empty note.
[[nodiscard]] std::vector<std::string> placement_notes(const campaign_plan& plan,
                                                       const topology& machine);

struct planned_machine {
  topology machine;
  cpu_grant grant;  ///< every PU and no quota if the machine comes from a file
};

/// Returns the machine in the file with --topology and --dry-run. With --topology alone, returns
/// this machine as the file describes it, also for workers started later (sets HWLOC_XMLFILE and
/// HWLOC_THISSYSTEM). Else returns this machine. Throws usage_error if hwloc cannot read the file
/// or the file does not fit this machine.
[[nodiscard]] planned_machine machine_for(const run_options& options);

/// Returns the PUs that differ if a file's machine cannot be this machine, else an empty string.
/// The file must have every PU allowed for this process, and no PU missing here. `here` comes from
/// hwloc.
[[nodiscard]] std::string topology_mismatch(const topology& of_file, const topology& here);

}  // namespace syncmeter

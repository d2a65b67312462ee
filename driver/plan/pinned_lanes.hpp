// The machine that a campaign is planned on, and where lanes and cells lie on it: those that
// options or a study name one by one, and in words those of every placement.
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

/// Throws usage_error where --cpus names a PU that this machine does not have, or that this process
/// may not use.
void require_pus(const std::vector<int>& pus, const topology& machine);

/// Throws usage_error where `option` asks for more lanes than max_lanes() allows, unless
/// --oversubscribe does.
void require_lanes(std::string_view option, unsigned lanes, const run_options& options,
                   const topology& machine, const cpu_grant& grant);

/// Throws usage_error where lanes cannot be bound here at all, and --cpus or a study of pairs says
/// where each one is.
void require_bound(const run_options& options, bool pairs, const cpu_grant& grant);

/// The PUs of the lanes of each point, in the order of the lanes. Without `pairs` these are --cpus,
/// or one empty list: lanes and affinity decide. With `pairs`, every pair of PUs (of --cpus, where
/// it is given) both ways round, or a sample of each class (core/machine/topology.hpp). Throws
/// usage_error when there is no pair.
[[nodiscard]] std::vector<std::vector<int>>
pinned_lanes(const run_options& options, bool pairs, const topology& machine, unsigned max_lanes);

/// The PUs that --cpus names, or all that this process may use.
[[nodiscard]] std::vector<processing_unit> units_wanted(const run_options& options,
                                                        const topology& machine);

struct cell_layout {
  unsigned stride = 0;       ///< elements between the cells of neighbouring lanes
  unsigned base_offset = 0;  ///< bytes from the start of a line to the first cell
  unsigned cells = 0;        ///< that the lanes share out; 0: as many as lanes
};

/// Every stride at every base offset and number of cells: the user's, else the study's, else one
/// line. A study's numbers of cells are those that `lanes` lanes can share out evenly.
[[nodiscard]] std::vector<cell_layout> layouts_of(const run_options& options,
                                                  const study_axes& axes, value_type type,
                                                  unsigned lanes, unsigned line_bytes);

/// Why the cells of a point cannot lie as it says; empty when they can.
[[nodiscard]] std::string why_no_layout(const point& p);

/// Where PUs sit, for the campaign line, so that a results file can be read on another machine:
/// those wanted, where some point of the plan names its PUs or shares out cells; else null.
[[nodiscard]] nlohmann::json units_named(const campaign_plan& plan, const run_options& options,
                                         const topology& machine);

/// One row a lane. `pus`: the OS number of each lane's PU; -1, and one that `machine` may not use,
/// has a row without places.
[[nodiscard]] std::string lane_table(const topology& machine, std::span<const int> pus);

/// What a reader of figures must know of it in one line: "lanes 0,1 on IntelCore, 2-5 on IntelAtom;
/// lanes that share a core: 0+6, 1+7". Empty where every lane has a core of its own, all of one
/// kind.
[[nodiscard]] std::string lane_note(const topology& machine, std::span<const int> pus);

/// lane_note() of each policy in a plan, at its most lanes: fewer lanes sit where more begin.
/// Begins with the policy and that number; nothing of policies with nothing to tell.
[[nodiscard]] std::vector<std::string> placement_notes(const campaign_plan& plan,
                                                       const topology& machine);

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

// Where the lanes of a placement sit, lane by lane: core, caches, node, package, kind of core and
// SMT siblings.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/machine/topology.hpp"
#include "driver/plan/plan.hpp"

namespace syncmeter {

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

}  // namespace syncmeter

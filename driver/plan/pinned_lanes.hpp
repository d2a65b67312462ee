// Lanes on PUs that are named one by one: by --pus, or by a study of pairs.
#pragma once

#include <string_view>
#include <vector>

#include "core/machine/topology.hpp"
#include "driver/plan/options.hpp"

namespace syncmeter {

/// Throws usage_error where --pus names a PU that this machine does not have, or that this process
/// may not use.
void require_pus(const std::vector<int>& pus, const topology& machine);

/// Throws usage_error where `option` asks for more lanes than max_lanes() allows, unless
/// --oversubscribe does.
void require_lanes(std::string_view option, unsigned lanes, const run_options& options,
                   const topology& machine, const cpu_grant& grant);

/// Throws usage_error where lanes cannot be bound here at all, and --pus or a study of pairs says
/// where each one is.
void require_bound(const run_options& options, bool pairs, const cpu_grant& grant);

/// The PUs of the lanes of each point, in the order of the lanes. Without `pairs` these are --pus,
/// or one empty list: lanes and affinity decide. With `pairs`, every pair of PUs (of --pus, where
/// it is given) both ways round, or a sample of each class (core/machine/pu_pairs.hpp). Throws
/// usage_error when there is no pair.
[[nodiscard]] std::vector<std::vector<int>>
pinned_lanes(const run_options& options, bool pairs, const topology& machine, unsigned max_lanes);

/// The PUs that --pus names, or all that this process may use.
[[nodiscard]] std::vector<processing_unit> units_wanted(const run_options& options,
                                                        const topology& machine);

}  // namespace syncmeter

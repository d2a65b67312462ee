// Probes the machine when a campaign starts. The hop time between lanes classifies contended
// figures, because a virtual machine's host moves vCPUs. Affinity quiet needs the PUs that other
// processes use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "core/machine/topology.hpp"
#include "driver/plan/plan.hpp"
#include "driver/workers/worker_pool.hpp"

namespace syncmeter {

/// A start-up probe to ask for: hops between these PUs, over this time.
struct state_probe {
  std::vector<int> pus;
  double seconds = 0;
};

/// Limits the time of all start-up probes together.
inline constexpr double longest_probing_s = 2;

/// Returns whether a point's lanes contend: two or more lanes in a communicating op, on a common
/// cell, or on cells that share a line.
[[nodiscard]] bool contended(const point& what, const std::vector<worker_info>& workers,
                             unsigned line_bytes);

/// Returns whether pair probes bracket a planned point's rounds: it is contended or compared with a
/// contended point.
[[nodiscard]] bool watched(const planned_point& planned, const std::vector<worker_info>& workers,
                           unsigned line_bytes);

/// Returns the contended point whose worker shall probe: the first with active waiting, else the
/// first. Returns nullptr when the plan has none.
[[nodiscard]] const planned_point*
prober(const campaign_plan& plan, const std::vector<worker_info>& workers, const topology& machine);

/// Returns a probe at the largest lane count among contended points, and a probe at two lanes when
/// some points have fewer lanes. PUs come from a planned point, or from `close` if its lanes are
/// not bound.
[[nodiscard]] std::vector<state_probe> state_probes(const campaign_plan& plan,
                                                    const std::vector<worker_info>& workers,
                                                    const topology& machine);

/// Returns how long the start-up probes of this plan's campaign take. Returns 0 without probes, for
/// example on a machine of one's own or with lanes that cannot be bound.
[[nodiscard]] double probing_s(const campaign_plan& plan, const std::vector<worker_info>& workers,
                               const topology& machine, const cpu_grant& grant);

/// Returns a worker's `probe` answer as an entry for the campaign line's "states": {"pus",
/// "bounds_ns", "hop_ns": [5 %, median, 95 %]}. Returns nothing when the answer has no hops.
[[nodiscard]] std::optional<nlohmann::json> state_entry(const std::vector<int>& pus,
                                                        const nlohmann::json& answer);

/// Returns the bounds in ns for a contended point with `lanes` lanes, from the largest probe with
/// no more lanes. A ring's mean hop over more lanes than were probed still consists of the same
/// hops, but a mean over fewer does not. Empty without such a probe: one state.
[[nodiscard]] std::vector<double> bounds_for(const nlohmann::json& states, unsigned lanes);

struct probed_states {
  nlohmann::json states = nlohmann::json::array();  ///< state_entry() of each probe
  std::string note;                                 ///< why there is one state, or an error
  bool failed = false;                              ///< a probe failed
  double seconds = 0;                               ///< duration of the probes
};

/// Probes only under a hypervisor, because PUs do not move elsewhere. `about` is
/// describe_machine().
[[nodiscard]] probed_states probe_states(const campaign_plan& plan,
                                         const std::vector<worker_info>& infos,
                                         const topology& machine, const nlohmann::json& about,
                                         worker_pool& workers);

/// Runs the quiet probe (core/harness/core_probes.hpp) on every PU for 50 ms. Uses at most
/// `at_once` PUs at once, and never two PUs of one core. A share says how many fewer probes fit
/// into 50 ms than on an undisturbed PU of its kind. PUs near 0 are left out. A PU that no thread
/// can be bound to counts as undisturbed. Rounds to whole per cent, because a file must hold the
/// same numbers.
[[nodiscard]] busy_shares probe_busy_shares(const topology& machine, unsigned at_once);

/// Returns the busy PUs for the campaign line: [{"pu":0,"share":0.97}].
[[nodiscard]] nlohmann::json busy_json(const busy_shares& busy);
/// Reads the shares from a campaign line.
[[nodiscard]] busy_shares busy_in(const nlohmann::json& campaign);

}  // namespace syncmeter

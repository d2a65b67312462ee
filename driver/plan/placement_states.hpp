// What a campaign probes at its start: how long a hop between lanes takes on this machine now, by
// which contended figures are kept apart (a virtual machine's host moves vCPUs about), and which
// PUs others use, for affinity quiet.
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

/// Start-up probes take this long together, at most.
inline constexpr double longest_probing_s = 2;

/// True for a point whose lanes meet: two or more of them in an op that communicates, on one cell,
/// or on cells that share a line.
[[nodiscard]] bool contended(const point& what, const std::vector<worker_info>& workers,
                             unsigned line_bytes);

/// True for a planned point whose rounds are bracketed by pair probes: contended, or to be compared
/// with one that is.
[[nodiscard]] bool watched(const planned_point& planned, const std::vector<worker_info>& workers,
                           unsigned line_bytes);

/// The contended point whose worker shall probe: the first one with active waiting, else the first;
/// nothing when the plan has none.
[[nodiscard]] const planned_point*
prober(const campaign_plan& plan, const std::vector<worker_info>& workers, const topology& machine);

/// One probe at the largest lane count of the plan's contended points, and one at two lanes when
/// some of them have fewer. PUs are those of a planned point, or `close` where its lanes are not
/// bound.
[[nodiscard]] std::vector<state_probe> state_probes(const campaign_plan& plan,
                                                    const std::vector<worker_info>& workers,
                                                    const topology& machine);

/// How long the probes at the start of this plan's campaign take; 0 where there are none, as on a
/// machine of one's own or with lanes that cannot be bound.
[[nodiscard]] double probing_s(const campaign_plan& plan, const std::vector<worker_info>& workers,
                               const topology& machine, const cpu_grant& grant);

/// A worker's `probe` answer as an entry of the campaign line's "states": {"pus", "bounds_ns",
/// "hop_ns": [5 %, median, 95 %]}; nothing when the answer holds no hops.
[[nodiscard]] std::optional<nlohmann::json> state_entry(const std::vector<int>& pus,
                                                        const nlohmann::json& answer);

/// The bounds in ns for a contended point of `lanes` lanes: those of the largest probe with no more
/// lanes. A ring's mean hop over more lanes than were probed is still made of the same hops; one
/// over fewer is not. Empty when there is no such probe: one state.
[[nodiscard]] std::vector<double> bounds_for(const nlohmann::json& states, unsigned lanes);

struct probed_states {
  nlohmann::json states = nlohmann::json::array();  ///< state_entry() of each probe
  std::string note;                                 ///< why there is one state, or what went wrong
  bool failed = false;                              ///< a probe went wrong
  double seconds = 0;                               ///< that the probes took
};

/// `about` is describe_machine(). Probes under a hypervisor only: elsewhere PUs stay where they
/// are.
[[nodiscard]] probed_states probe_states(const campaign_plan& plan,
                                         const std::vector<worker_info>& infos,
                                         const topology& machine, const nlohmann::json& about,
                                         worker_pool& workers);

/// Runs the quiet probe (core/harness/core_probes.hpp) on every PU for 50 ms: by how much fewer
/// probes fit in there than on a PU of its kind that has its core to itself, as a share; PUs that
/// come near to that are left out. Never on two PUs of one core at once, nor on more than
/// `at_once`. A PU that no thread can be bound to counts as left alone. In whole per cent, so that
/// a file holds the same numbers.
[[nodiscard]] busy_shares probe_busy_shares(const topology& machine, unsigned at_once);

/// For the campaign line, PUs that were left alone are left out: [{"pu":0,"share":0.97}].
[[nodiscard]] nlohmann::json busy_json(const busy_shares& busy);
/// What a campaign line has of them.
[[nodiscard]] busy_shares busy_in(const nlohmann::json& campaign);

}  // namespace syncmeter

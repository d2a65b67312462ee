#include "core/host/host_worker.hpp"

#include <chrono>
#include <thread>

#include <nlohmann/json.hpp>

#include "core/harness/quiet_probe.hpp"
#include "core/host/reduction_array.hpp"

namespace syncmeter {
namespace {

// A point that only serves to place lanes.
const measurable& placement_only() {
  static constexpr measurable row{.info = {.name = "placement"}};
  return row;
}

}  // namespace

host_worker_backend::host_worker_backend(std::vector<measurable> rows, team_runner runner,
                                         team_releaser releaser, void* objects)
    : machine_{topology::of_this_machine()}, rows_{std::move(rows)},
      rig_{machine_, runner, releaser, objects} {}

bench& host_worker_backend::prepare(const measurable& row, const point& where,
                                    const lane_request& lanes) {
  if (where.home != home::none && row.info.family == family::handoff &&
      !home_pu(machine_.units(), where.home, lanes.pus))
    throw point_refused{why_no_home(where.home)};
  require_room(row, where);
  rig_.prepare(row, where, lanes.pus, lanes.watch_states);
  rig_.lower_floors(lanes.quiet_floor_ns);
  return rig_;
}

void host_worker_backend::describe_visit(nlohmann::json& visit) const {
  visit["pus_seen"] = rig_.pus_seen();
  visit["quiet_probe"] = {{"floor_ns", rig_.quiet_floor_ns()},
                          {"median_ns", rig_.quiet_median_ns()}};
  if (const homed_pages* const pages = rig_.homed()) {
    const auto node = pages->numa_node();
    visit["home"] = {{"pu", pages->pu()},
                     {"numa_node", node ? nlohmann::json(*node) : nlohmann::json()}};
  }
}

std::vector<double> host_worker_backend::probe(const std::vector<int>& pus, double seconds) {
  constexpr std::size_t most = 2000;
  rig_.prepare(placement_only(), point{}, pus, false);
  std::vector<double> hops;
  const auto start = steady_ns();
  const auto budget_ns = static_cast<std::int64_t>(seconds * 1e9);
  (void)rig_.hop_ns(10e3);  // learns how many rotations fit
  while (hops.size() < most && steady_ns() - start < budget_ns) {
    const double hop = rig_.hop_ns(10e3);
    if (!rig_.was_preempted()) hops.push_back(hop);
    // Spread over the time asked for: placement states last from a tenth of a second to seconds.
    std::this_thread::sleep_for(
        std::chrono::nanoseconds{budget_ns / static_cast<std::int64_t>(most)});
  }
  rig_.finish();
  return hops;
}

}  // namespace syncmeter

#include "core/host/host_worker.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/harness/core_probes.hpp"
#include "core/host/reduction_array.hpp"

namespace syncmeter {
namespace {

// A point that only serves to place lanes.
const measurable& placement_only() {
  static constexpr measurable row{.info = {.name = "placement"}};
  return row;
}

// An array has its own rules (core/host/reduction_array.hpp).
void require_datum(const measurable& row, const point& where) {
  constexpr unsigned most_bytes = 1U << 20U;
  if (!row.info.reads_and_writes || (where.size >= 1 && where.size <= most_bytes)) return;
  throw point_refused(
      fmt::format("needs --size: the number of {}, 1 to {}", row.info.size_of, most_bytes));
}

}  // namespace

const topology& machine_of_this_process() {
  static const topology machine = topology::of_this_machine();
  return machine;
}

host_worker_backend::host_worker_backend(std::vector<measurable> rows, team_runner runner,
                                         team_releaser releaser, void* objects)
    : machine_{machine_of_this_process()}, rows_{std::move(rows)},
      rig_{make_for_lanes<host_rig>(machine_, runner, releaser, objects)} {}

bench& host_worker_backend::prepare(const measurable& row, const point& where,
                                    const lane_request& lanes) {
  is_prepared_ = false;
  if (where.home != home::none && row.info.family == family::handoff &&
      !home_pu(machine_.units(), where.home, lanes.pus))
    throw point_refused{why_no_home(where.home)};
  require_room(row, where);
  require_datum(row, where);
  rig_->prepare(row, where, lanes.pus, lanes.watch_states);
  rig_->lower_floors(lanes.quiet_floor_ns);
  is_prepared_ = true;
  return *rig_;
}

nlohmann::json host_worker_backend::declares(const measurable& row) const {
  auto declared = nlohmann::json::object();
  if (auto text = x86_64(row); !text.empty()) declared["x86-64"] = std::move(text);
  return declared;
}

void host_worker_backend::describe_visit(nlohmann::json& visit) const {
  if (!is_prepared_) return;  // refused: the rig knows of other lanes
  visit["pus_seen"] = rig_->pus_seen();
  visit["quiet_probe"] = {{"floor_ns", rig_->quiet_floor_ns()},
                          {"median_ns", rig_->quiet_median_ns()}};
  if (const wait_times& waits = rig_->waits(); waits.count() > 0) {
    visit["lane_waits"] = {{"count", waits.count()},
                           {"p50_ns", waits.at_share(0.5)},
                           {"p999_ns", waits.at_share(0.999)},
                           {"longest_ns", waits.longest_ns()}};
  }
  if (const auto cpu_ns = rig_->waiting_cpu_ns()) visit["waiting_cpu_ns"] = *cpu_ns;
  if (const homed_pages* const pages = rig_->homed()) {
    const auto node = pages->numa_node();
    visit["home"] = {{"pu", pages->pu()},
                     {"numa_node", node ? nlohmann::json(*node) : nlohmann::json()}};
  }
}

std::vector<double> host_worker_backend::probe(const std::vector<int>& pus, double seconds) {
  constexpr std::size_t most = 2000;
  rig_->prepare(placement_only(), point{}, pus, false);
  std::vector<double> hops;
  const auto start = steady_ns();
  const auto budget_ns = static_cast<std::int64_t>(seconds * 1e9);
  (void)rig_->hop_ns(10e3);  // learns how many rotations fit
  while (hops.size() < most && steady_ns() - start < budget_ns) {
    const double hop = rig_->hop_ns(10e3);
    if (!rig_->was_preempted()) hops.push_back(hop);
    // Spread over the time asked for: placement states last from a tenth of a second to seconds.
    std::this_thread::sleep_for(
        std::chrono::nanoseconds{budget_ns / static_cast<std::int64_t>(most)});
  }
  rig_->finish();
  return hops;
}

}  // namespace syncmeter

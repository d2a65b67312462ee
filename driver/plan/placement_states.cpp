#include "driver/plan/placement_states.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <thread>

#include "core/harness/core_probes.hpp"
#include "core/machine/environment.hpp"
#include "core/machine/topology.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

bool communicates(const point& what, const std::vector<worker_info>& workers) {
  for (const worker_info& worker : workers) {
    for (const capability& entry : worker.capabilities)
      if (entry.backend == what.backend && entry.op == what.op && entry.communicates) return true;
  }
  return false;
}

std::vector<const planned_point*> contended_points(const campaign_plan& plan,
                                                   const std::vector<worker_info>& workers,
                                                   unsigned line_bytes) {
  std::vector<const planned_point*> found;
  for (const planned_point& planned : plan.points)
    if (watched(planned, workers, line_bytes)) found.push_back(&planned);
  return found;
}

std::vector<double> numbers_in(const json& object, const char* name) {
  std::vector<double> numbers;
  const auto list = object.find(name);
  if (list == object.end() || !list->is_array()) return numbers;
  for (const json& number : *list)
    if (number.is_number()) numbers.push_back(number.get<double>());
  return numbers;
}

// Returns the nearest rank (Hyndman and Fan, type 1) in sorted values.
double quantile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

// Returns each PU once, because a token does not hop between two lanes of one PU.
std::vector<int> probed_pus(const planned_point& planned, const topology& machine) {
  const auto lanes = std::min(planned.what.lanes, static_cast<unsigned>(machine.units().size()));
  const auto unbound = [](int pu) { return pu < 0; };
  if (std::ranges::any_of(planned.pus, unbound)) return machine.place(affinity::close, lanes);
  std::vector<int> pus;
  for (const int pu : planned.pus) add_once(pus, pu);
  return pus;
}

// Lasts several turns of a scheduler with time slices of 3 to 4 ms.
constexpr std::int64_t probing_ns = 50'000'000;
// Below this share a PU counts as undisturbed: its quiet probes are not slow enough to be busy.
constexpr double least_share = 1 - 1 / busy_ratio;

/// Returns rounds with PUs of different cores, at most `at_once` in each.
std::vector<std::vector<processing_unit>> rounds_of(std::span<const processing_unit> units,
                                                    unsigned at_once) {
  std::map<std::pair<int, int>, std::size_t> in_core;
  std::vector<std::vector<processing_unit>> by_thread;
  for (const processing_unit& unit : units) {
    const std::size_t rank = in_core[core_of(unit)]++;
    if (rank == by_thread.size()) by_thread.emplace_back();
    by_thread[rank].push_back(unit);
  }
  std::vector<std::vector<processing_unit>> rounds;
  for (const std::vector<processing_unit>& all : by_thread) {
    for (std::size_t i = 0; i < all.size(); i += at_once) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i);
      rounds.emplace_back(begin, std::min(begin + at_once, all.end()));
    }
  }
  return rounds;
}

/// Returns the times in ns from each probe to the next, including time without the PU.
std::vector<double> probe_for_a_while(const topology& machine, int pu) {
  std::vector<double> steps_ns;
  if (bind_this_thread(machine, pu)) return steps_ns;
  std::int64_t last = steady_ns();
  for (const std::int64_t end = last + probing_ns; last < end;) {
    (void)quiet_probe_ns();
    const std::int64_t now = steady_ns();
    steps_ns.push_back(static_cast<double>(now - last));
    last = now;
  }
  return steps_ns;
}

/// Returns a low quantile, because the minimum may be clock noise.
double floor_of(std::vector<double> steps_ns) {
  const auto low = steps_ns.begin() + static_cast<std::ptrdiff_t>(steps_ns.size() / 20);
  std::nth_element(steps_ns.begin(), low, steps_ns.end());
  return *low;
}

/// Returns the share of probes that had enough time but did not run.
double busy_share(const std::vector<double>& steps_ns, double floor_ns) {
  const double all_ns = std::accumulate(steps_ns.begin(), steps_ns.end(), 0.0);
  const double share = 1 - static_cast<double>(steps_ns.size()) * floor_ns / all_ns;
  return std::round(100 * share) / 100;
}

}  // namespace

bool contended(const point& what, const std::vector<worker_info>& workers, unsigned line_bytes) {
  // Placement states apply to CPU lanes only.
  if (what.lanes < 2 || gpus_of(workers, what.backend) != nullptr) return false;
  if (const unsigned cells = cells_in_use(what); cells != 0 && cells < what.lanes) return true;
  if (what.placement == placement::strided && stride_bytes(what) < line_bytes) return true;
  return communicates(what, workers);
}

bool watched(const planned_point& planned, const std::vector<worker_info>& workers,
             unsigned line_bytes) {
  return planned.watch_states || contended(planned.what, workers, line_bytes);
}

const planned_point* prober(const campaign_plan& plan, const std::vector<worker_info>& workers,
                            const topology& machine) {
  const auto points = contended_points(plan, workers, machine.line_bytes());
  if (points.empty()) return nullptr;
  const auto active = std::ranges::find_if(
      points, [](const planned_point* p) { return p->what.wait == wait_policy::active; });
  return active == points.end() ? points.front() : *active;
}

std::vector<state_probe> state_probes(const campaign_plan& plan,
                                      const std::vector<worker_info>& workers,
                                      const topology& machine) {
  const auto points = contended_points(plan, workers, machine.line_bytes());
  std::vector<state_probe> probes;
  if (points.empty()) return probes;
  const auto by_lanes = [](const planned_point* a, const planned_point* b) {
    return a->what.lanes < b->what.lanes;
  };
  const auto [fewest, most] = std::minmax_element(points.begin(), points.end(), by_lanes);
  std::vector<int> largest = probed_pus(**most, machine);
  if (largest.size() < 2) return probes;
  if ((*fewest)->what.lanes < (*most)->what.lanes && largest.size() > 2) {
    std::vector<int> pair = probed_pus(**fewest, machine);
    pair.resize(2);
    probes.push_back({std::move(pair), 0});
  }
  probes.push_back({std::move(largest), 0});
  for (state_probe& probe : probes)
    probe.seconds = longest_probing_s / static_cast<double>(probes.size());
  return probes;
}

double probing_s(const campaign_plan& plan, const std::vector<worker_info>& workers,
                 const topology& machine, const cpu_grant& grant) {
  if (!machine.is_this_machine() || !under_hypervisor() || !grant.unbound_because.empty()) return 0;
  double all = 0;
  for (const state_probe& probe : state_probes(plan, workers, machine)) all += probe.seconds;
  return all;
}

std::optional<json> state_entry(const std::vector<int>& pus, const json& answer) {
  std::vector<double> hops = numbers_in(answer, "hop_ns");
  if (hops.empty()) return std::nullopt;
  std::ranges::sort(hops);
  std::vector<double> bounds = numbers_in(answer, "bounds_ns");
  std::ranges::sort(bounds);
  json entry{{"pus", pus},
             {"bounds_ns", bounds},
             {"hop_ns", {quantile(hops, 0.05), quantile(hops, 0.5), quantile(hops, 0.95)}}};
  return std::make_optional<json>(std::move(entry));
}

std::vector<double> bounds_for(const json& states, unsigned lanes) {
  const json* best = nullptr;
  std::size_t best_lanes = 0;
  if (!states.is_array()) return {};
  for (const json& entry : states) {
    const std::size_t probed =
        entry.is_object() && entry.contains("pus") ? entry.at("pus").size() : 0;
    if (probed <= lanes && probed > best_lanes) {
      best = &entry;
      best_lanes = probed;
    }
  }
  return best == nullptr ? std::vector<double>{} : numbers_in(*best, "bounds_ns");
}

probed_states probe_states(const campaign_plan& plan, const std::vector<worker_info>& infos,
                           const topology& machine, const json& about, worker_pool& workers) {
  probed_states found;
  const planned_point* asked = prober(plan, infos, machine);
  if (asked == nullptr) {
    found.note = "one placement state: no configuration is contended";
    return found;
  }
  if (!about.value("unbound_because", "").empty()) {
    found.note =
        "one placement state: threads cannot be bound, so that the hops between CPUs cannot "
        "be probed";
    return found;
  }
  if (!about.value("hypervisor", false)) {
    found.note = "one placement state: not a virtual machine";
    return found;
  }
  for (const state_probe& probe : state_probes(plan, infos, machine)) {
    const exchange_outcome outcome = workers.probe(
        asked->what.backend, asked->what.wait, {{"pus", probe.pus}, {"seconds", probe.seconds}});
    if (outcome.what != exchange_outcome::kind::answered) {
      found.note = "the start-up probe failed: " + outcome.reason;
      found.failed = true;
      return found;
    }
    found.seconds += probe.seconds;
    if (auto entry = state_entry(probe.pus, outcome.line))
      found.states.push_back(std::move(*entry));
  }
  return found;
}

busy_shares probe_busy_shares(const topology& machine, unsigned at_once) {
  std::map<int, std::vector<double>> steps_ns;
  for (const processing_unit& unit : machine.units()) steps_ns[unit.os];
  for (const auto& round : rounds_of(machine.units(), std::max(at_once, 1U))) {
    std::vector<std::jthread> threads;
    for (const processing_unit& unit : round) {
      threads.emplace_back([&machine, &steps = steps_ns.at(unit.os), os = unit.os] {
        steps = probe_for_a_while(machine, os);
      });
    }
  }
  std::map<int, double> floors_ns;  // by kind of core
  for (const processing_unit& unit : machine.units()) {
    if (steps_ns.at(unit.os).empty()) continue;
    const double floor = floor_of(steps_ns.at(unit.os));
    const auto [found, is_new] = floors_ns.try_emplace(unit.kind, floor);
    if (!is_new) found->second = std::min(found->second, floor);
  }
  busy_shares busy;
  for (const processing_unit& unit : machine.units()) {
    const std::vector<double>& steps = steps_ns.at(unit.os);
    const double share = steps.empty() ? 0 : busy_share(steps, floors_ns.at(unit.kind));
    if (share >= least_share) busy[unit.os] = share;
  }
  return busy;
}

json busy_json(const busy_shares& busy) {
  json list = json::array();
  for (const auto& [pu, share] : busy) list.push_back({{"pu", pu}, {"share", share}});
  return list;
}

busy_shares busy_in(const json& campaign) {
  busy_shares busy;
  const auto list = campaign.find("busy_pus");
  if (list == campaign.end() || !list->is_array()) return busy;
  for (const json& entry : *list)
    if (entry.is_object() && entry.contains("pu") && entry.contains("share"))
      busy[entry.at("pu").get<int>()] = entry.at("share").get<double>();
  return busy;
}

}  // namespace syncmeter

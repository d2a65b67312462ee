#include "driver/plan/placement_states.hpp"

#include <algorithm>
#include <cmath>

#include "core/machine/environment.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

bool communicates(const point& what, const std::vector<worker_info>& workers) {
  for (const worker_info& worker : workers) {
    for (const capability& entry : worker.capabilities) {
      if (entry.backend == what.backend && entry.op == what.op && entry.communicates) return true;
    }
  }
  return false;
}

std::vector<const planned_point*> contended_points(const campaign_plan& plan,
                                                   const std::vector<worker_info>& workers,
                                                   unsigned line_bytes) {
  std::vector<const planned_point*> found;
  for (const planned_point& planned : plan.points) {
    if (watched(planned, workers, line_bytes)) found.push_back(&planned);
  }
  return found;
}

std::vector<double> numbers_in(const json& object, const char* name) {
  std::vector<double> numbers;
  const auto list = object.find(name);
  if (list == object.end() || !list->is_array()) return numbers;
  for (const json& number : *list) {
    if (number.is_number()) numbers.push_back(number.get<double>());
  }
  return numbers;
}

// Nearest rank (Hyndman and Fan, type 1) of sorted values.
double quantile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

// Each PU once: a token does not hop between two lanes of one.
std::vector<int> probed_pus(const planned_point& planned, const topology& machine) {
  const auto lanes = std::min(planned.what.lanes, static_cast<unsigned>(machine.units().size()));
  const auto unbound = [](int pu) { return pu < 0; };
  if (std::any_of(planned.pus.begin(), planned.pus.end(), unbound))
    return machine.place(affinity::close, lanes);
  std::vector<int> pus;
  for (const int pu : planned.pus) {
    if (std::find(pus.begin(), pus.end(), pu) == pus.end()) pus.push_back(pu);
  }
  return pus;
}

}  // namespace

bool contended(const point& what, const std::vector<worker_info>& workers, unsigned line_bytes) {
  // Placement states are about CPU lanes.
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
  const auto active = std::find_if(points.begin(), points.end(), [](const planned_point* p) {
    return p->what.wait == wait_policy::active;
  });
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
  std::sort(hops.begin(), hops.end());
  std::vector<double> bounds = numbers_in(answer, "bounds_ns");
  std::sort(bounds.begin(), bounds.end());
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

using nlohmann::json;

probed_states probe_states(const campaign_plan& plan, const std::vector<worker_info>& infos,
                           const topology& machine, const json& about, worker_pool& workers) {
  probed_states found;
  const planned_point* asked = prober(plan, infos, machine);
  if (asked == nullptr) {
    found.note = "one placement state: no point is contended";
    return found;
  }
  if (!about.value("unbound_because", "").empty()) {
    found.note = "one placement state: lanes cannot be bound, so that the hops between PUs cannot "
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

}  // namespace syncmeter

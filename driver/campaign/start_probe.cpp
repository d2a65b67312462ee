#include "driver/campaign/start_probe.hpp"

#include "driver/plan/placement_states.hpp"

namespace syncmeter {

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

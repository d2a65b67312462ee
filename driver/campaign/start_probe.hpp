// The placement states that a campaign begins with: hops between the PUs of its contended points.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/plan/plan.hpp"
#include "driver/workers/worker_pool.hpp"

namespace syncmeter {

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

}  // namespace syncmeter

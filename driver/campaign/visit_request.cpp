#include "driver/campaign/visit_request.hpp"

#include <algorithm>

#include "core/point.hpp"
#include "driver/plan/gpus_in_use.hpp"

namespace syncmeter {
namespace {

double min_sample_us(const planned_point& planned, const run_options& options) {
  if (options.min_sample_us > 0) return options.min_sample_us;
  return planned.device ? 50 : 100;
}

}  // namespace

std::vector<double> quiet_floors::of(const std::vector<int>& pus) const {
  const auto found = known_.find(pus);
  return found == known_.end() ? std::vector<double>{} : found->second;
}

void quiet_floors::learn(const visit_record& visit) {
  const std::vector<double>& floors = visit.quiet_probe.floor_ns;
  if (floors.empty()) return;
  auto& known = known_[visit.pus];
  if (known.size() != floors.size()) known = floors;
  for (std::size_t lane = 0; lane < floors.size(); ++lane)
    known[lane] = std::min(known[lane], floors[lane]);
}

nlohmann::json visit_request(const planned_point& planned, unsigned visit,
                             const run_options& options, const visit_context& context) {
  nlohmann::json request{{"point", planned.what},
                         {"pus", planned.pus},
                         {"visit", visit},
                         {"options",
                          {{"precision", options.precision},
                           {"max_time_ns", max_visit_s(planned, options) * 1e9},
                           {"min_sample_ns", 1e3 * min_sample_us(planned, options)},
                           {"seed", context.seed},
                           {"trips", context.trips},
                           {"additivity", planned.additivity},
                           {"watch_states", context.watch_states},
                           {"quiet_floor_ns", context.quiet_floor_ns},
                           {"state_bounds_ns", context.state_bounds_ns},
                           {"oversubscribe", options.oversubscribe}}}};
  if (planned.device) request["device"] = device_of(planned, visit);
  return request;
}

}  // namespace syncmeter

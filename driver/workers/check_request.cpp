#include "driver/workers/check_request.hpp"

#include <algorithm>

#include "core/point.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

// Two warps of one block: enough for lanes that meet, and for a token between warps.
constexpr unsigned gpu_threads = 64;
constexpr unsigned gpu_active = 16;

point smallest_point(const capability& entry) {
  point where;
  where.backend = entry.backend;
  where.op = entry.op;
  where.type = entry.type;
  if (!entry.placements.empty()) where.placement = entry.placements.front();
  if (where.placement == placement::strided) where.stride = 16;
  where.order = entry.order;
  where.scope = entry.scope;
  where.flavour = entry.flavour;
  where.space = entry.space;
  if (!entry.size_of.empty()) where.size = entry.size > 0 ? entry.size : 1024;
  if (entry.holds_lock) where.section_ns = 50;
  if (entry.reads_and_writes) where.reads_per_write = 3;
  if (entry.arrives_late) where.late_us = 1;
  return where;
}

json request_of(const point& where, const std::vector<int>& pus) {
  return {{"point", where},
          {"pus", pus},
          {"visit", 1},
          {"options",
           {{"precision", 0.05},
            {"max_time_ns", 2e6},
            {"min_sample_ns", 2e4},
            {"seed", 7},
            {"trips", 0},
            {"additivity", false},
            {"watch_states", false},
            {"quiet_floor_ns", json::array()},
            {"state_bounds_ns", json::array()},
            {"oversubscribe", false}}}};
}

// The number of devices or of sides that an op takes is at least two; what else it counts, one
// block has room for.
json request_on(const gpu_device& gpu, const capability& entry) {
  point where = smallest_point(entry);
  where.lanes = std::max(gpu_threads, entry.min_lanes);
  if (entry.some_lanes) where.active = gpu_active;
  if (!entry.size_of.empty() && entry.size == 0) where.size = 2;
  if (entry.all_at_once && where.size > 1) where.blocks = where.size;
  json request = request_of(where, {});
  request["device"] = gpu.index;
  return request;
}

}  // namespace

std::optional<json> check_request(const capability& entry, const worker_info& worker,
                                  const std::vector<int>& pus) {
  if (!entry.supported || worker.backend_problems.contains(entry.backend)) return std::nullopt;
  if (const auto gpus = worker.gpus.find(entry.backend); gpus != worker.gpus.end()) {
    if (gpus->second.devices.empty()) return std::nullopt;
    return request_on(gpus->second.devices.front(), entry);
  }
  const unsigned lanes = std::max(entry.min_lanes, entry.communicates ? 2U : 1U);
  if (lanes > pus.size()) return std::nullopt;
  point where = smallest_point(entry);
  where.lanes = lanes;
  where.affinity = affinity::close;
  return request_of(where, {pus.begin(), pus.begin() + lanes});
}

}  // namespace syncmeter

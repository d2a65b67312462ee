#include "backends/cuda/rig/gpu_rig.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/lane/cuda_setup.hpp"
#include "core/harness/core_probes.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {

std::int64_t gpu_rig::now_ns() { return steady_ns(); }

void gpu_rig::prepare(const measurable& what, const point& where, unsigned visit) {
  what_ = &what;
  where_ = where;
  visit_ = visit;
  clocks_.clear();
  prepare_point();
}

sample gpu_rig::take(std::size_t index, std::uint32_t trips) {
  if (index >= what_->built)
    throw std::runtime_error(
        fmt::format("no loop with {} measured ops was built for this form", counts.at(index)));
  trips_ = trips;
  return measure(index);
}

std::uint64_t gpu_rig::ops(std::size_t index) const {
  return std::uint64_t{trips_} * what_->info.unroll * ops_in_step(what_->info, counts.at(index));
}

void gpu_rig::note_clock(sample& taken, double ghz, std::size_t device) {
  clocks_.add(device, ghz);
  if (device == 0 && clock_.is_throttled(ghz)) taken.dropped = drop::throttled;
}

void gpu_rig::describe(nlohmann::json& visit) const {
  visit["device"] = device_.index;
  if (const auto ghz = clocks_.medians(); ghz.size() == 1) visit["sm_clock_ghz"] = ghz.front();
  else if (!ghz.empty()) visit["sm_clock_ghz"] = ghz;
}

void gpu_rig::describe_footprint(nlohmann::json& visit, std::size_t bytes) const {
  visit["footprint_bytes"] = bytes;
  visit["fits_l2"] = bytes <= device_.l2_bytes;
}

void gpu_rig::require_block_fits() const {
  if (where_.lanes > device_.max_threads_per_block)
    throw point_refused(fmt::format("--threads {}: a block has at most {} threads on {}",
                                    where_.lanes, device_.max_threads_per_block, device_.name));
}

void gpu_rig::require_whole_warps(std::string_view what) const {
  if (where_.lanes > device_.max_threads_per_block || where_.lanes % warp_size != 0)
    throw point_refused(
        fmt::format("--threads {}: a block of a {} must consist of whole warps, at most {} threads",
                    where_.lanes, what, device_.max_threads_per_block));
}

}  // namespace syncmeter::cuda

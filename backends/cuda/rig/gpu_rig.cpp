#include "backends/cuda/rig/gpu_rig.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "core/harness/quiet_probe.hpp"

namespace syncmeter::cuda {

std::int64_t gpu_rig::now_ns() { return steady_ns(); }

sampler sampler_for(const measurable& row, std::size_t index) {
  const sampler found = row.by_count.at(index);
  if (found == nullptr)
    throw std::runtime_error(
        fmt::format("no loop with {} measured ops was built for this form", counts.at(index)));
  return found;
}

}  // namespace syncmeter::cuda

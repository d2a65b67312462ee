#include "backends/cuda/rig/gpu_rig.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "core/harness/core_probes.hpp"

namespace syncmeter::cuda {

std::int64_t gpu_rig::now_ns() { return steady_ns(); }

void require_built(const measurable& row, std::size_t index) {
  if (index >= row.built)
    throw std::runtime_error(
        fmt::format("no loop with {} measured ops was built for this form", counts.at(index)));
}

}  // namespace syncmeter::cuda

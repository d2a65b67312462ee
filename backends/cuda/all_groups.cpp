// The rows of syncmeter-cuda, each with the rig that measures it.
#include "backends/cuda/coalescing/coalescing.hpp"
#include "backends/cuda/divergence/divergence.hpp"
#include "backends/cuda/groups.hpp"
#include "backends/cuda/handoff/handoff.hpp"
#include "backends/cuda/launch/launch_rig.hpp"
#include "backends/cuda/levels/levels.hpp"
#include "backends/cuda/multi/multi_host.hpp"
#include "backends/cuda/multi/multi_rig.hpp"
#include "backends/cuda/reduction/reduction_rig.hpp"
#include "backends/cuda/rig/cuda_census.hpp"
#include "backends/cuda/rig/cuda_rig.hpp"

namespace syncmeter::cuda {

std::vector<row_group> row_groups() {
  return {{all_rows(), &make_rig<cuda_rig>, &declared_instructions},
          launch_group(),
          levels_group(),
          {ring_rows(), &make_rig<ring_rig>, &declared_handoff},
          {pair_rows(), &make_rig<pair_rig>, &declared_handoff},
          {chain_rows(), &make_rig<chain_rig>, &declared_handoff},
          divergence_group(),
          coalescing_group(),
          reduction_group(),
          {multi_rows(), &make_rig<multi_rig>, &multi_declares},
          remote_group(),
          multi_host_group()};
}

}  // namespace syncmeter::cuda

// The rows of syncmeter-cuda, each with the rig that measures it.
#include "backends/cuda/coalescing/coalescing.hpp"
#include "backends/cuda/divergence/divergence.hpp"
#include "backends/cuda/groups.hpp"
#include "backends/cuda/handoff/chain_rig.hpp"
#include "backends/cuda/handoff/handoff_rows.hpp"
#include "backends/cuda/handoff/pair_rig.hpp"
#include "backends/cuda/handoff/ring_rig.hpp"
#include "backends/cuda/launch/launch_table.hpp"
#include "backends/cuda/levels/levels_table.hpp"
#include "backends/cuda/multi/multi_host.hpp"
#include "backends/cuda/multi/multi_rig.hpp"
#include "backends/cuda/multi/multi_rows.hpp"
#include "backends/cuda/multi/remote_rig.hpp"
#include "backends/cuda/reduction/reduction_rig.hpp"
#include "backends/cuda/rig/cuda_census.hpp"
#include "backends/cuda/rig/cuda_rig.hpp"
#include "backends/cuda/rig/cuda_table.hpp"

namespace syncmeter::cuda {

std::vector<row_group> row_groups() {
  return {{all_rows(), &make_rig<cuda_rig>, &declared_instructions},
          launch_rows(),
          levels_rows(),
          {ring_rows(), &make_rig<ring_rig>, &declared_handoff},
          {pair_rows(), &make_rig<pair_rig>, &declared_handoff},
          {chain_rows(), &make_rig<chain_rig>, &declared_handoff},
          divergence_group(),
          coalescing_group(),
          {reduction_rows(), &make_rig<reduction_rig>, &declared_reductions},
          {multi_rows(), &make_rig<multi_rig>, &multi_declares},
          {remote_rows(), &make_rig<remote_rig>, &remote_declares},
          {multi_host_rows(), &make_multi_host_rig, &multi_host_declares}};
}

}  // namespace syncmeter::cuda

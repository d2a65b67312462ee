// The rows of syncmeter-cuda, each with its rig.
#include <string_view>
#include <vector>

#include "backends/cuda/accumulate/accumulate.hpp"
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
#include "backends/cuda/widths/widths.hpp"

namespace syncmeter::cuda {
namespace {

// A test build may leave out rooms (SM_CUDA_ROOMS), and then links none of their code.
constexpr bool has_room(std::string_view room) {
  constexpr std::string_view rooms =
#include "cuda_rooms.inc"
      ;
  return rooms.find(room) != std::string_view::npos;
}

}  // namespace

std::vector<row_group> row_groups() {
  std::vector<row_group> groups{{all_rows(), &make_rig<cuda_rig>, &declared_instructions}};
  if constexpr (has_room("launch")) groups.push_back(launch_group());
  if constexpr (has_room("levels")) groups.push_back(levels_group());
  if constexpr (has_room("handoff")) {
    groups.push_back({ring_rows(), &make_rig<ring_rig>, &declared_handoff});
    groups.push_back({object_ring_rows(), &make_rig<ring_rig>, &declared_handoff});
    groups.push_back({carried_ring_rows(), &make_rig<ring_rig>, &declared_handoff});
    groups.push_back({pair_rows(), &make_rig<pair_rig>, &declared_handoff});
    groups.push_back({chain_rows(), &make_rig<chain_rig>, &declared_handoff});
  }
  if constexpr (has_room("divergence")) groups.push_back(divergence_group());
  if constexpr (has_room("coalescing")) groups.push_back(coalescing_group());
  if constexpr (has_room("accumulate")) groups.push_back(accumulate_group());
  if constexpr (has_room("reduction")) groups.push_back(reduction_group());
  if constexpr (has_room("widths")) groups.push_back(widths_group());
  if constexpr (has_room("multi")) {
    groups.push_back({multi_rows(), &make_rig<multi_rig>, &multi_declares});
    groups.push_back(remote_group());
    groups.push_back(multi_host_group());
  }
  return groups;
}

}  // namespace syncmeter::cuda

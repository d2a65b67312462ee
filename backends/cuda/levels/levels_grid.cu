// Rows of the levels above a block.
#include "backends/cuda/levels/levels_backend.cuh"
#include "backends/cuda/levels/levels_grid_lane.cuh"
#include "backends/cuda/levels/levels_table.hpp"

namespace syncmeter::cuda {

std::vector<measurable> rows_clusters() {
  static constexpr auto rows = bind_untyped<levels_backend<cluster_lane>>(
      op_list<ops::cluster_sync, ops::cluster_arrive_wait, ops::cluster_atomic_add>{});
  return {rows.begin(), rows.end()};
}

std::vector<measurable> rows_grids() {
  static constexpr auto rows = bind_untyped<levels_backend<grid_lane>>(
      op_list<ops::grid_sync, ops::software_barrier_counter, ops::software_barrier_sense,
              ops::software_barrier_lockfree, ops::software_barrier_tree>{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda

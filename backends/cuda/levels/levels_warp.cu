// Rows for groups within a warp.
#include "backends/cuda/levels/levels.cuh"

namespace syncmeter::cuda {

std::vector<measurable> rows_tiles() {
  static constexpr auto rows = bind_untyped<levels_backend<tile_lane>>(
      op_list<ops::tile_sync, ops::tile_shuffle, ops::tile_reduce, ops::tile_reduce_by_shuffles>{});
  return {rows.begin(), rows.end()};
}

std::vector<measurable> rows_coalesced() {
  static constexpr auto rows = bind_untyped<levels_backend<coalesced_lane, true>>(
      op_list<ops::coalesced_sync, ops::coalesced_shuffle, ops::coalesced_reduce>{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda

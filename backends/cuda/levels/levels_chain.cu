// Rows of the add chains: long code in its own translation unit.
#include "backends/cuda/levels/levels.cuh"

namespace syncmeter::cuda {

std::vector<measurable> rows_chains() {
  static constexpr auto rows = bind_untyped<levels_backend<tile_lane>>(op_list<ops::fadd_chain>{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda

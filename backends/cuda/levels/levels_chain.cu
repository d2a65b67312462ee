// Rows of the chains of adds: long code, in a translation unit of its own.
#include "backends/cuda/levels/levels.cuh"

namespace syncmeter::cuda {

std::vector<measurable> rows_chains() {
  static constexpr auto rows = bind_untyped<levels_backend<tile_lane>>(op_list<ops::fadd_chain>{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda

// By the host's compiler: its loops are what is timed.
#include "backends/cuda/launch/launch_table.hpp"

#include "backends/cuda/launch/launch_lane.hpp"
#include "backends/cuda/ops/launch.hpp"

namespace syncmeter::cuda {

row_group launch_rows() {
  static constexpr auto rows =
      bind_untyped<host_loop_backend<launch_rig, launch_lane>>(ops::launch_ops{});
  return {{rows.begin(), rows.end()}, &make_rig<launch_rig>, &declared_launches};
}

}  // namespace syncmeter::cuda

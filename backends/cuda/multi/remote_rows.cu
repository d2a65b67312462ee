// The table of accesses to memory here, at a peer and on the host.
#include "backends/cuda/multi/multi_rows.hpp"
#include "backends/cuda/ops/remote.cuh"
#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {

std::vector<measurable> remote_rows() {
  using every_op =
      op_list<ops::remote_atomic_add_dependent, ops::remote_atomic_add, ops::remote_exchange,
              ops::remote_cas, ops::remote_load, ops::remote_store>;
  using adds = op_list<ops::remote_atomic_add_dependent, ops::remote_atomic_add>;
  static constexpr auto int32 = bind_typed<backend, std::int32_t>(every_op{});
  static constexpr auto uint64 = bind_typed<backend, std::uint64_t>(adds{});
  std::vector<measurable> rows{int32.begin(), int32.end()};
  rows.insert(rows.end(), uint64.begin(), uint64.end());
  return rows;
}

}  // namespace syncmeter::cuda

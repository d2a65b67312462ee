// Which multiprocessors lie in one graphics processing cluster (GPC), as far as launches show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/runtime/cuda_device.hpp"

namespace syncmeter::cuda {

struct gpc_map {
  /// By multiprocessor: the number of its GPC, -1 where no launch showed it.
  std::vector<int> gpcs{};
  std::string why_unknown{};  ///< where `gpcs` is empty
};

/// The blocks of a cluster run on one GPC (CUDA C++ Programming Guide, "Thread Block Clusters"), so
/// that multiprocessors that are met in clusters which overlap lie in one. Asked once for each
/// device.
[[nodiscard]] const gpc_map& gpcs_of(const device_facts& device);

/// Nothing where no launch showed it.
[[nodiscard]] std::optional<bool> in_one_gpc(const std::vector<int>& gpcs, unsigned one,
                                             unsigned other);

/// The same from what launches showed: `places[i]` is the multiprocessor of block i, `size` blocks
/// are a cluster. Numbers of GPCs follow their first multiprocessor.
[[nodiscard]] std::vector<int> gpcs_from(const std::vector<unsigned>& places, unsigned size,
                                         unsigned multiprocessors);

}  // namespace syncmeter::cuda

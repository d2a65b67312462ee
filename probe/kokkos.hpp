// Kernels and fences of Kokkos that a thread has begun and not ended.
#pragma once

#include <cstdint>

#include "probe/tables.hpp"

namespace syncmeter::probe {

struct kokkos_call {
  kind what;
  std::uint32_t label;  ///< its number; 0: it has no room
  std::uint32_t outer;  ///< of the kernel around it
  std::uint64_t site, begun;
};
struct kokkos_calls {
  static constexpr unsigned most = 8;
  unsigned open;
  kokkos_call at[most];
};

}  // namespace syncmeter::probe

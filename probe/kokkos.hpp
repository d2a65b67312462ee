// Kernels and fences of Kokkos: what its tool passes on, and those that a thread has begun and not
// ended.
#pragma once

#include <cstdint>

#include "probe/callers.hpp"
#include "probe/real_function.hpp"
#include "probe/tables.hpp"

namespace syncmeter::probe {

struct kokkos_call {
  kind what;
  std::uint32_t label;  ///< its number; 0: it has no room
  std::uint32_t outer;  ///< of the kernel around it
  std::uint64_t site;
  std::uint64_t frame;  ///< of the callback
  std::uint64_t begun;
};
struct kokkos_calls {
  static constexpr unsigned most = 8;
  unsigned open;
  kokkos_call at[most];
};

}  // namespace syncmeter::probe

/// Kokkos keeps what `call` is set to for the end; 0: there is nothing to end.
SM_EXPORT void syncmeter_begin_kokkos_call(syncmeter::probe::kind what, const char* label,
                                           std::uint64_t* call,
                                           syncmeter::probe::call_frame callback);
SM_EXPORT void syncmeter_end_kokkos_call(std::uint64_t call);

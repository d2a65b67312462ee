// Of a CPU backend's table only the loops without and with one measured op, and nothing that runs
// them: what scripts/atlas compiles for machines that are not there.
#pragma once

#include "core/host/host_backend.hpp"

namespace syncmeter {

/// The address of the loop without or with the op.
template <class Op, class Lane> const void* two_loops_at(std::size_t index) {
  return reinterpret_cast<const void*>(index == 0 ? &loop<Op, counts[0], Lane>
                                                  : &loop<Op, counts[1], Lane>);
}

/// In place of `Backend`: it has no body and no hooks, as far as the seam can see.
template <class Backend> struct loops_alone : Backend {
  template <class, int Count, class>
    requires(Count < 0)
  static lane_body body_of();
  template <class, class Lane>
    requires(sizeof(Lane) == 0)
  static sample_hooks hooks_of();
  template <class Op, class Lane> static constexpr code_finder code_of() {
    return &two_loops_at<Op, Lane>;
  }
  template <class, class> static constexpr litmus_check litmus_of() { return nullptr; }
};

}  // namespace syncmeter

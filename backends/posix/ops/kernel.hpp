// What Linux has beside POSIX: the heavy side of an asymmetric fence, and a counter for each CPU.
#pragma once

#include <string>

#include "backends/posix/posix_kernel.hpp"
#include "core/cell_object.hpp"

namespace syncmeter::posix::ops {

template <class L> concept has_expedited_barrier = requires(L& l) { l.expedited_barrier(); };

// test - baseline == one more membarrier(2). Every lane issues it, and is interrupted by those of
// the others; the light side, a compiler barrier, costs nothing.
struct membarrier {
  static constexpr op_info info{.name = "membarrier",
                                .family = family::fence,
                                .oracle = oracle::agreed,
                                .litmus = litmus::fence,
                                .unroll = 4,
                                .communicates = true,
                                .note = "membarrier(2), private expedited, by every lane; the "
                                        "other side of it needs a compiler barrier alone"};
  SM_FN static void common(has_expedited_barrier auto& lane) { lane.expedited_barrier(); }
  SM_FN static void measured(has_expedited_barrier auto& lane) { common(lane); }
};

template <class Object> concept adds_one = requires(Object& o) { o.add_one(); };

// test - baseline == one more add to the counter of the CPU that the lane is on.
struct per_cpu_add {
  using object = per_cpu_counters;
  static constexpr op_info info{
      .name = "per_cpu_add",
      .family = family::structure,
      .note = "x += 1 on a counter for each CPU, in a restartable sequence (rseq): no atomic"};
  static constexpr bool is_built = adds_one<object>;
  SM_FN static void common(auto& lane)
    requires is_built
  {
    lane.object().add_one();
  }
  SM_FN static void measured(auto& lane)
    requires is_built
  {
    common(lane);
  }
  static std::string check(const object& counters, const object_use& use) {
    return counters.check(use.all_ops());
  }
};

}  // namespace syncmeter::posix::ops

// The maximum of an array on the lanes of a CPU, by the API's own reduction. Lane 0 alone runs the
// loop; the lanes are those that it starts.
#pragma once

#include "core/op.hpp"

namespace syncmeter {

template <class L> concept has_reduce_max = requires(L& l) { l.reduce_max(); };

namespace ops {

// test - baseline == one more reduction: the lanes started, their shares read, the parts combined
// and the result back in lane 0.
struct reduce_max {
  static constexpr op_info info{
      .name = "reduce_max",
      .in_quick = false,
      .family = family::reduction,
      .typed = true,
      .oracle = oracle::agreed,
      .unroll = 1,
      .communicates = true,
      .host_lane = true,
      .note = "the maximum of an array; each lane reads the part that it touched first",
      .size_of = "elements"};
  static constexpr bool reduces_an_array = true;
  SM_FN static void common(has_reduce_max auto& lane) { lane.reduce_max(); }
  SM_FN static void measured(has_reduce_max auto& lane) { lane.reduce_max(); }
};

}  // namespace ops
}  // namespace syncmeter

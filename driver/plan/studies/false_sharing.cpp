// The study `false-sharing`. Cells far apart are the control for every other stride, in the same
// visit. Only one op has all combinations of types, strides and placements. The line size does not
// depend on the op, but the sharing cost does.
#include "driver/plan/study.hpp"

namespace syncmeter {

study false_sharing_study() {
  const study_axes add{.placements = {placement::strided},
                       .strides_bytes = {4, 8, 16, 32, 64, 128, 256, apart_bytes},
                       .lanes = lane_set::powers_from_two,
                       .affinities = {affinity::close, affinity::spread, affinity::smt},
                       .watch_states = true};
  study_axes alone = add;
  alone.strides_bytes = {apart_bytes};
  alone.lanes = lane_set::one;
  study_axes every_type = add;
  every_type.types = type_set::published;
  every_type.lanes = lane_set::two_and_max;
  study_axes from_half = every_type;
  from_half.bases = {line_part::half};
  from_half.lanes = lane_set::two;
  study_axes other_ops = add;
  other_ops.strides_bytes = {4, 32, 64, 128, apart_bytes};
  other_ops.lanes = lane_set::two_and_max;
  const std::vector<std::string_view> others{"atomic_write", "plain_add", "fence_between_stores",
                                             "@atomic",      "@critical", "@structure"};
  return {
      .place = 7,
      .name = "false-sharing",
      .purpose = "false sharing: how far apart the variables of two threads must be",
      .rules = {{.ops = {"atomic_add"}, .axes = alone},
                {.ops = {"atomic_add"}, .axes = add},
                {.ops = {"atomic_add"}, .axes = every_type},
                {.ops = {"atomic_add"}, .axes = from_half},
                {.ops = others, .axes = alone},
                {.ops = others, .axes = other_ops}},
      .others = other_ops,
      .native_only = true,
      .layouts_together = true,
      .left_out =
          "uint32 (same as int32); types other than int32 between 2 threads and all; arrays that "
          "start half a line in, with more than 2 threads; for operations other than atomic_add: "
          "other "
          "types, strides other than 4, 32, 64 and 128 B, and arrays that start half a line "
          "in; unbound threads; portable backends unless --backend names them"};
}

}  // namespace syncmeter

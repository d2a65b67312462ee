// The study `portability`. Equal code on equal placement must cost the same, so reads and empty ops
// are included. On a GPU both sides are relaxed. The study `defaults` compares the APIs' defaults.
#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

gpu_part gpu_portability() {
  std::vector<gpu_rule> rules =
      every_op({{{one}, {32, 1024}}, {{sm}, {1024}}}, {{{one}, {32, 1024}}, {{sm}, {1}}});
  for (gpu_rule& rule : rules) {
    rule.axes.types = type_set::published;
    rule.axes.forms = form_set::relaxed;
  }
  gpu_axes others = rules.front().axes;
  return {.rules = std::move(rules), .others = std::move(others)};
}

}  // namespace

study portability_study() {
  const study_axes axes{.types = type_set::published,
                        .lanes = lane_set::one_and_max,
                        .strided_beyond_one_lane = true};
  return {.place = 6,
          .name = "portability",
          .purpose = "cost of a portable API (Kokkos) over the native one, for each operation",
          .rules = every_op(axes),
          .others = axes,
          .gpu = gpu_portability(),
          .counterparts_only = true};
}

}  // namespace syncmeter

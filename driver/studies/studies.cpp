// The studies themselves, with their points on CPUs; those on GPUs are in gpu_studies.cpp. `paper`
// is the OpenMP grid of "Characterizing CUDA and OpenMP Synchronization Primitives" (IISWC 2024) on
// this tool's ops.
#include "driver/studies/studies.hpp"

#include <algorithm>
#include <set>

#include "driver/studies/gpu_studies.hpp"
#include "driver/studies/lock_studies.hpp"
#include "driver/studies/processes_study.hpp"
#include "driver/studies/waiting_study.hpp"

namespace syncmeter {
namespace {

// Hints are left to the study locks: most runtimes make nothing of them. Reductions have a study of
// their own: without a number of elements there is nothing to reduce. So have ways of waiting.
std::vector<study_rule> every_op(const study_axes& axes) {
  return {{.ops = {"*"},
           .except = {"control_*", "lock_hint_*", "barrier_late", "wait_*", "work_beside_*",
                      "reduce_max", "*_held", "*_read_mostly"},
           .axes = axes},
          {.ops = {"control_aa", "control_multiply_1"}, .except = {}, .axes = axes}};
}

study quick() {
  const study_axes axes{.lanes = lane_set::one_and_max, .strided_beyond_one_lane = true};
  return {.name = "quick",
          .purpose = "every op, one type, default order, at 1 lane and at all of them",
          .rules = every_op(axes),
          .others = axes,
          .gpu = gpu_quick()};
}

study scaling() {
  const study_axes axes{.lanes = lane_set::powers,
                        .affinities = {affinity::close, affinity::spread},
                        .strided_beyond_one_lane = true};
  return {.name = "scaling",
          .purpose =
              "the same ops at 1, 2, 4, ... lanes and all of them, with affinity close and spread",
          .rules = every_op(axes),
          .others = axes,
          .gpu = gpu_scaling()};
}

// Everything here has a cost known beforehand, or one that must add up. Lanes alone, so that
// nothing but the op can be the cause; a barrier needs a partner to be one.
study control() {
  const study_axes alone{.placements = {placement::shared}, .additivity = true};
  study_axes together = alone;
  together.lanes = lane_set::max;
  return {.name = "control",
          .purpose = "known costs: 100 A/A tests, multiplies, and ops whose costs must add up",
          .rules = {{.ops = {"control_aa"}, .except = {}, .axes = {.repeats = 100}},
                    {.ops = {"control_multiply_*"}, .except = {}, .axes = {.types = type_set::all}},
                    {.ops = {"atomic_add", "atomic_fetch_add", "atomic_cas_pass", "fence"},
                     .except = {},
                     .axes = alone},
                    {.ops = {"barrier"}, .except = {}, .axes = together}},
          .others = alone,
          .gpu = gpu_control()};
}

study paper() {
  const study_axes scalar{.types = type_set::published,
                          .placements = {placement::shared},
                          .lanes = lane_set::published,
                          .affinities = {affinity::close, affinity::spread, affinity::none}};
  study_axes array = scalar;
  array.placements = {placement::strided};
  array.strides = {1, 2, 4, 8, 16, 64};
  study_axes both = array;
  both.placements = {placement::shared, placement::strided};
  return {.name = "paper",
          .purpose = "the grid of \"Characterizing CUDA and OpenMP Synchronization Primitives\"",
          .rules = {{.ops = {"barrier", "atomic_fetch_add", "atomic_write",
                             "atomic_write_two_lines", "atomic_read", "critical_add", "fence"},
                     .except = {},
                     .axes = scalar},
                    {.ops = {"atomic_add"}, .except = {}, .axes = both},
                    {.ops = {"fence_between_adds"}, .except = {}, .axes = array}},
          .others = both,
          .gpu = gpu_paper()};
}

study atomics() {
  return {.name = "atomics",
          .purpose = "GPU: every form of the atomics: API, use, address, scope and order",
          .rules = {},
          .others = {},
          .gpu = gpu_atomics()};
}

// Equal code on equal placement must cost the same, so that reads and nothing at all are in it.
study portability() {
  const study_axes axes{.types = type_set::published,
                        .lanes = lane_set::one_and_max,
                        .strided_beyond_one_lane = true};
  return {.name = "portability",
          .purpose =
              "the cost ratio of every op that a native and a portable backend have in common",
          .rules = every_op(axes),
          .others = axes,
          .gpu = gpu_portability(),
          .counterparts_only = true};
}

// Cells apart are the control: every other stride is compared with it, in the same visit. The cross
// of types, strides and placements is full for one op alone: what a line is does not depend on the
// op, what sharing one costs does.
study false_sharing() {
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
  return {.name = "false-sharing",
          .purpose =
              "destructive interference size: how far apart cells of different lanes must be",
          .rules = {{.ops = {"atomic_add"}, .except = {}, .axes = alone},
                    {.ops = {"atomic_add"}, .except = {}, .axes = add},
                    {.ops = {"atomic_add"}, .except = {}, .axes = every_type},
                    {.ops = {"atomic_add"}, .except = {}, .axes = from_half},
                    {.ops = others, .except = {}, .axes = alone},
                    {.ops = others, .except = {}, .axes = other_ops}},
          .others = other_ops,
          .gpu = {},
          .native_only = true,
          .layouts_together = true,
          .left_out =
              "uint32 (same as int32); types other than int32 between 2 lanes and all; arrays that "
              "start half a line in, with more than 2 lanes; for ops other than atomic_add: other "
              "types, strides other than 4, 32, 64 and 128 B, and arrays that start half a line "
              "in; unbound lanes; portable backends unless --backend names them"};
}

// Each pair gets few and short visits: 16 PUs have 120 of them. Both ops wait for the same token,
// so their difference is the way of waiting.
study core_to_core() {
  const study_axes axes{.homes = {home::first}, .pairs = true};
  return {.name = "core-to-core",
          .purpose = "the one-way latency between every pair of processing units, as a matrix",
          .rules = {{.ops = {"handoff", "handoff_cas"}, .except = {}, .axes = axes}},
          .others = axes,
          .gpu = {},
          .pace = study_pace{.precision = 0.02,
                             .max_time_s = 0.03,
                             .min_sample_us = 50,  // more rounds, and so more of the mailboxes'
                                                   // places
                             // A neighbour's load on the caches comes and goes within seconds:
                             // six short visits see more of it than three long ones.
                             .many = 64,
                             .visits_of_many = 6,
                             .longest_s = 60},
          .native_first = true};
}

// Who is compared is visited in turn: runtimes, both ways of waiting, and lateness against none.
study barrier() {
  const study_axes curve{.lanes = lane_set::published,
                         .affinities = {affinity::close, affinity::spread, affinity::smt},
                         .waits = {wait_policy::active, wait_policy::passive},
                         .oversubscribe_on_request = true};
  study_axes late = curve;
  late.lanes = lane_set::two_and_max;
  late.lates_us = {0, 1, 10, 100};
  late.oversubscribe_on_request = false;
  return {.name = "barrier",
          .purpose = "barriers by number of lanes, runtime and wait policy, and with a late lane",
          .rules = {{.ops = {"barrier", "@barrier"}, .except = {}, .axes = curve},
                    {.ops = {"barrier_late"}, .except = {}, .axes = late}},
          .others = curve,
          .gpu = {},
          .pace = study_pace{.precision = 0.02,
                             .max_time_s = 0.15,
                             .min_sample_us = 0,
                             .many = 128,
                             .visits_of_many = 3},
          .native_only = true,
          .waits_together = true,
          .also = {"omp-llvm", "std"},
          .left_out = "late lanes at numbers of lanes other than 2 and all; more lanes than "
                      "processing units unless --oversubscribe is given; unbound lanes; portable "
                      "backends unless --backend names them"};
}

}  // namespace

std::span<const study> studies() {
  static const std::vector<study> all{quick(),
                                      scaling(),
                                      control(),
                                      paper(),
                                      atomics(),
                                      portability(),
                                      false_sharing(),
                                      core_to_core(),
                                      barrier(),
                                      waiting_study(),
                                      locks_study(),
                                      contention_study(),
                                      read_mostly_study(),
                                      levels_study(),
                                      handoff_study(),
                                      divergence_study(),
                                      coalescing_study(),
                                      reductions_study(),
                                      multi_gpu_study(),
                                      processes_study()};
  return all;
}

const study* find_study(std::string_view name) {
  for (const study& s : studies()) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const study& s : studies()) names.emplace_back(s.name);
  return names;
}

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() != '*') {
    return !name.empty() && pattern.front() == name.front() &&
           fits(pattern.substr(1), name.substr(1));
  }
  return fits(pattern.substr(1), name) || (!name.empty() && fits(pattern, name.substr(1)));
}

namespace {

bool covers(const std::vector<std::string_view>& ops, const std::vector<std::string_view>& except,
            std::string_view op, std::string_view user_family) {
  const auto fits_op = [&](std::string_view pattern) {
    if (pattern.starts_with('@')) return pattern.substr(1) == user_family;
    return fits(pattern, op);
  };
  return std::any_of(ops.begin(), ops.end(), fits_op) &&
         std::none_of(except.begin(), except.end(), fits_op);
}

}  // namespace

bool compares_placements(const study& s) {
  return std::ranges::any_of(s.rules, [](const study_rule& rule) {
    return rule.axes.pairs || rule.axes.affinities.size() > 1;
  });
}

bool covers(const study_rule& rule, std::string_view op, std::string_view user_family) {
  return covers(rule.ops, rule.except, op, user_family);
}

bool covers(const gpu_rule& rule, std::string_view op, std::string_view user_family) {
  return covers(rule.ops, rule.except, op, user_family);
}

std::vector<unsigned> lanes_of(lane_set set, unsigned most) {
  using enum lane_set;
  constexpr unsigned every_number_up_to = 32;
  std::set<unsigned> lanes;
  const bool from_two = set == two || set == two_and_max || set == powers_from_two;
  if (!from_two && set != max) lanes.insert(1);
  if (from_two || set == one_and_two) lanes.insert(std::min(2U, most));
  if (set != one && set != two && set != one_and_two) lanes.insert(most);
  const bool every = set == published && most <= every_number_up_to;
  if (set == powers || set == powers_from_two || set == published) {
    for (unsigned n = *lanes.begin(); n <= most; n = every ? n + 1 : n * 2) lanes.insert(n);
  }
  return {lanes.begin(), lanes.end()};
}

}  // namespace syncmeter

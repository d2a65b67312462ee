// The studies themselves, with their points on CPUs; those on GPUs are in gpu_studies.cpp. `paper`
// is the OpenMP grid of "Characterizing CUDA and OpenMP Synchronization Primitives" (IISWC 2024) on
// this tool's ops.
#include "cli/studies.hpp"

#include <algorithm>
#include <set>

#include "cli/gpu_studies.hpp"

namespace syncmeter {
namespace {

std::vector<study_rule> every_op(const study_axes& axes) {
  return {{.ops = {"*"}, .except = {"control_*"}, .axes = axes},
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
              "the same ops at 1, 2, 4, ... lanes and all of them, packed close and spread far",
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
          .purpose = "known costs: 100 times nothing, planted multiplies, and ops that must add up",
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
              "every op that a native and a portable backend share, visited in turn: the ratio",
          .rules = every_op(axes),
          .others = axes,
          .gpu = gpu_portability(),
          .counterparts_only = true};
}

// Each pair gets few and short visits: 16 PUs have 120 of them. Both ops wait for the same token,
// so their difference is the way of waiting.
study core_to_core() {
  const study_axes axes{.homes = {home::first}, .pairs = true};
  return {
      .name = "core-to-core",
      .purpose = "a token between every pair of processing units: a matrix of one-way latencies",
      .rules = {{.ops = {"handoff", "handoff_cas"}, .except = {}, .axes = axes}},
      .others = axes,
      .gpu = {},
      .pace = study_pace{.precision = 0.02, .max_time_s = 0.04, .many = 64, .visits_of_many = 3},
      .native_first = true};
}

}  // namespace

std::span<const study> studies() {
  static const std::vector<study> all{quick(),   scaling(),     control(),     paper(),
                                      atomics(), portability(), core_to_core()};
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
            std::string_view op) {
  const auto fits_op = [op](std::string_view pattern) { return fits(pattern, op); };
  return std::any_of(ops.begin(), ops.end(), fits_op) &&
         std::none_of(except.begin(), except.end(), fits_op);
}

}  // namespace

bool covers(const study_rule& rule, std::string_view op) {
  return covers(rule.ops, rule.except, op);
}

bool covers(const gpu_rule& rule, std::string_view op) { return covers(rule.ops, rule.except, op); }

std::vector<unsigned> lanes_of(lane_set set, unsigned max) {
  constexpr unsigned every_number_up_to = 32;
  std::set<unsigned> lanes;
  if (set != lane_set::max) lanes.insert(1);
  if (set != lane_set::one) lanes.insert(max);
  const bool every = set == lane_set::published && max <= every_number_up_to;
  if (set == lane_set::powers || set == lane_set::published) {
    for (unsigned n = 1; n <= max; n = every ? n + 1 : n * 2) lanes.insert(n);
  }
  return {lanes.begin(), lanes.end()};
}

}  // namespace syncmeter

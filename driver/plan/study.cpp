// What the studies have in common: the list of them, rules for every op, and which op a rule is
// about.
#include "driver/plan/study.hpp"

#include <algorithm>
#include <set>

namespace syncmeter {

// One for each file in plan/studies: studies.def is made of their names when the build is
// configured.
#define SM_STUDY(name) study name##_study();
#include "studies.def"
#undef SM_STUDY

namespace {

using namespace blocks;

const std::vector<std::string_view> locks{"critical_*", "lock_*", "@critical"};
const std::vector<std::string_view> graphs{"graph_launch", "additional_graph_launch"};

// They have studies of their own, which know the grids and sizes that they need.
const std::vector<std::string_view> studied_apart{"tile_*",
                                                  "coalesced_*",
                                                  "cluster_*",
                                                  "grid_sync",
                                                  "software_barrier_*",
                                                  "fadd_chain",
                                                  "*_handoff",
                                                  "handoff_chain",
                                                  "branch_*",
                                                  "load_*",
                                                  "bank_*",
                                                  "reduce_max_*_atomic",
                                                  "reduce_max_warp_reduce",
                                                  "reduce_max_persistent",
                                                  "reduce_max_cub",
                                                  "*_bandwidth",
                                                  "multi_gpu_*",
                                                  "remote_*"};

bool covers(const std::vector<std::string_view>& ops, const std::vector<std::string_view>& except,
            std::string_view op, std::string_view user_family) {
  const auto fits_op = [&](std::string_view pattern) {
    if (pattern.starts_with('@')) return pattern.substr(1) == user_family;
    return fits(pattern, op);
  };
  return std::ranges::any_of(ops, fits_op) && std::ranges::none_of(except, fits_op);
}

}  // namespace

std::span<const study> studies() {
  static const std::vector<study> all = [] {
    std::vector<study> found{
#define SM_STUDY(name) name##_study(),
#include "studies.def"
#undef SM_STUDY
    };
    std::ranges::sort(found, {}, &study::place);
    return found;
  }();
  return all;
}

// Hints are left to the study locks: most runtimes make nothing of them. Reductions have a study of
// their own: without a number of elements there is nothing to reduce. So have ways of waiting.
std::vector<study_rule> every_op(const study_axes& axes) {
  return {{.ops = {"*"},
           .except = {"control_*", "lock_hint_*", "barrier_late", "wait_*", "work_beside_*",
                      "reduce_max", "*_held", "*_read_mostly"},
           .axes = axes},
          {.ops = {"control_aa", "control_multiply_1"}, .axes = axes}};
}

// A naive lock among the lanes of many blocks is too slow to end: many lanes of one block, then one
// of each.
std::vector<gpu_rule> every_op(const std::vector<grid_set>& grids,
                               const std::vector<grid_set>& of_locks) {
  std::vector<std::string_view> elsewhere{"control_*", "memory_*"};
  elsewhere.insert(elsewhere.end(), locks.begin(), locks.end());
  elsewhere.insert(elsewhere.end(), studied_apart.begin(), studied_apart.end());
  elsewhere.insert(elsewhere.end(), graphs.begin(), graphs.end());
  gpu_axes of_graphs{.grids = grids, .sizes = {1, 16}};
  return {{.ops = {"*"}, .except = std::move(elsewhere), .axes = gpu_axes{.grids = grids}},
          {.ops = graphs, .axes = of_graphs},
          {.ops = locks, .axes = gpu_axes{.grids = of_locks}},
          {.ops = {"memory_*"}, .axes = gpu_axes{.grids = {{{one}, {1}}}}},
          {.ops = {"control_aa", "control_multiply_1", "control_fadd"},
           .axes = gpu_axes{.grids = {{{one}, {32}}}}}};
}

const study* find_study(std::string_view name) {
  for (const study& s : studies())
    if (s.name == name) return &s;
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
  if (set == powers || set == powers_from_two || set == published)
    for (unsigned n = *lanes.begin(); n <= most; n = every ? n + 1 : n * 2) lanes.insert(n);
  return {lanes.begin(), lanes.end()};
}

}  // namespace syncmeter

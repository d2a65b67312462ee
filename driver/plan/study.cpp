// The list of studies, rules for every op, and the match between rules and ops.
#include "driver/plan/study.hpp"

#include <algorithm>
#include <set>

namespace syncmeter {

// Declares one function for each file in plan/studies. CMake makes studies.def from their names.
#define SM_STUDY(name) study name##_study();
#include "studies.def"
#undef SM_STUDY

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

std::vector<study_rule> every_op(const study_axes& axes) {
  return {{.ops = {"*"}, .only_in_quick = true, .axes = axes}};
}

std::vector<gpu_rule> every_op(const std::vector<grid_set>& grids,
                               const std::vector<grid_set>& of_locks) {
  const grid_set one_warp{{blocks::one}, {32}}, one_lane{{blocks::one}, {1}};
  // A naive lock among the lanes of many blocks does not end in time. Uses many lanes in a single
  // block, then a single lane per block.
  std::vector<gpu_rule> rules{
      {.ops = {"critical_*", "lock_*", "@critical"}, .axes = {.grids = of_locks}},
      {.ops = {"graph_launch", "additional_graph_launch"},
       .axes = {.grids = grids, .sizes = {1, 16}}},
      {.ops = {"memory_*"}, .axes = {.grids = {one_lane}}},
      {.ops = {"control_*"}, .axes = {.grids = {one_warp}}}};
  gpu_rule others{.ops = {"*"}, .axes = {.grids = grids}};
  for (const gpu_rule& rule : rules)
    others.except.insert(others.except.end(), rule.ops.begin(), rule.ops.end());
  rules.insert(rules.begin(), std::move(others));
  for (gpu_rule& rule : rules) rule.only_in_quick = true;
  return rules;
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

// Tries only the last * again, further on: the cost is at most both lengths multiplied. A pattern
// may come from a file.
bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, tried = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++tried;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool compares_placements(const study& s) {
  return std::ranges::any_of(s.rules, [](const study_rule& rule) {
    return rule.axes.pairs || rule.axes.affinities.size() > 1;
  });
}

bool any_fits(const std::vector<std::string_view>& patterns, std::string_view op,
              std::string_view user_family) {
  return std::ranges::any_of(patterns, [&](std::string_view pattern) {
    return pattern.starts_with('@') ? pattern.substr(1) == user_family : fits(pattern, op);
  });
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

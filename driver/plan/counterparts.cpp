#include "driver/plan/counterparts.hpp"

#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// Which backends measure what a key stands for.
struct sides {
  std::set<std::string> native, portable;
  [[nodiscard]] bool both() const { return !native.empty() && !portable.empty(); }
};

using sides_by_key = std::unordered_map<std::string, sides>;

}  // namespace

std::string counterpart_key(point p, bool on_gpu) {
  p.backend = on_gpu ? "gpu" : "cpu";
  p.flavour = flavour::none;
  p.scope = scope::none;
  p.space = space::none;
  return canonical(p);
}

void keep_counterparts(campaign_plan& plan, const std::vector<worker_info>& workers) {
  sides_by_key found;
  std::set<std::string> backends;
  const auto add = [&](const point& p, bool on_gpu) {
    sides& s = found[counterpart_key(p, on_gpu)];
    (is_portable(workers, p.backend) ? s.portable : s.native).insert(p.backend);
  };
  for (const planned_point& planned : plan.points) {
    const bool on_gpu = planned.device.has_value();
    backends.insert(planned.what.backend);
    add(planned.what, on_gpu);
    for (const point& same : planned.same_as) add(same, on_gpu);
  }
  std::erase_if(plan.points, [&](planned_point& planned) {
    const bool on_gpu = planned.device.has_value();
    const auto has_no_counterpart = [&](const point& p) {
      return !found.at(counterpart_key(p, on_gpu)).both();
    };
    std::erase_if(planned.same_as, has_no_counterpart);
    return planned.same_as.empty() && has_no_counterpart(planned.what);
  });
  if (plan.points.empty()) {
    throw usage_error(
        fmt::format("--study: no point is supported by both a native and a portable backend; "
                    "backends in use: {}; `syncmeter list` says what to install for others",
                    backends.empty() ? "none" : join({backends.begin(), backends.end()})));
  }
}

namespace {

std::string group_key(const planned_point& planned, bool interleaved, const campaign_plan& plan) {
  point p = planned.what;
  if (plan.ops_together) {
    p.backend = p.op = "any";
    p.order = order::unordered;
  }
  if (plan.layouts_together) p.stride = p.base_offset = p.cells = 0;
  if (plan.waits_together) {
    p.wait = {};
    p.late_us = 0;
  }
  return interleaved ? counterpart_key(p, planned.device.has_value()) : canonical(p);
}

}  // namespace

std::vector<std::vector<std::size_t>> groups_of(const campaign_plan& plan, bool interleaved) {
  std::vector<std::vector<std::size_t>> groups;
  if (plan.arms) {
    for (const auto& [a, b] : plan.pairs) groups.push_back({a, b});
    return groups;
  }
  std::unordered_map<std::string, std::size_t> group_with;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const planned_point& planned = plan.points[i];
    const auto [found, is_new] =
        group_with.try_emplace(group_key(planned, interleaved, plan), groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(i);
  }
  return groups;
}

}  // namespace syncmeter

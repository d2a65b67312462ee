#include "driver/plan/point_groups.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

// Returns a single cell for a single lane, whatever the placement, and for stride 0.
std::string cells(const point& p) {
  const unsigned count = cells_in_use(p);
  if (count < 2) return count == 0 ? "none" : "one";
  return fmt::format("{}, {} bytes from {}", count, stride_bytes(p), p.base_offset);
}

bool code_is_known(const candidate& c) {
  return c.planned.what.type && c.row->code.size() >= 2 && !c.row->code[0].empty() &&
         !c.row->code[1].empty();
}

std::string key_of(const candidate& c) {
  const point& p = c.planned.what;
  const std::string where = fmt::format("{} on {}", p.lanes, fmt::join(c.planned.pus, ","));
  if (!code_is_known(c)) {
    point without_affinity = p;
    without_affinity.affinity = affinity::none;
    return canonical(without_affinity) + " " + where;
  }
  // Requires code with equal width and equal divisors of the cost.
  return fmt::format("{} {}-{} {} {} {} {} {} size {} wait {} blocks {} scope {} repeat {} {}",
                     p.backend, c.row->code[0], c.row->code[1], c.row->pairing, c.row->unroll,
                     c.row->ops_per_step, where, cells(p), p.size, to_text(p.wait), p.blocks,
                     to_text(p.scope), p.repeat, c.planned.additivity);
}

bool differ_in_affinity_only(point a, const point& b) {
  a.affinity = b.affinity;
  return a == b;
}

void add_reason(std::string& why, const std::string& reason) {
  if (why.find(reason) != std::string::npos) return;
  if (!why.empty()) why += "; ";
  why += reason;
}

/// The backends that measure a key's points.
struct sides {
  std::set<std::string> native, portable;
  [[nodiscard]] bool both() const { return !native.empty() && !portable.empty(); }
};

using sides_by_key = std::unordered_map<std::string, sides>;

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

// Returns all properties that a cost depends on.
auto kind_of(const gpu_device& gpu) {
  return std::tie(gpu.name, gpu.compute_capability, gpu.multiprocessors, gpu.l2_bytes);
}

std::vector<unsigned> equal_gpus(const gpu_backend& gpus, const std::string& backend,
                                 const run_options& options) {
  std::vector<unsigned> indices = options.devices;
  if (indices.empty())
    for (const gpu_device& gpu : gpus.devices) indices.push_back(gpu.index);
  const gpu_device& first = chosen_gpu(gpus, backend, indices.front());
  for (const unsigned index : indices) {
    const gpu_device& other = chosen_gpu(gpus, backend, index);
    if (kind_of(other) == kind_of(first)) continue;
    throw usage_error(
        fmt::format("--device: only equal GPUs can share configurations, and {} ({}) is not "
                    "of the same kind as {} ({})",
                    other.index, other.name, first.index, first.name));
  }
  return indices;
}

bool is_of_one_gpu(const planned_point& point, const std::vector<offered_op>& ops) {
  const auto op = std::ranges::find_if(ops, [&](const offered_op& each) {
    return each.backend == point.what.backend && each.name == point.what.op;
  });
  const bool launched = op != ops.end() && op->rows.front()->family == "launch";
  return !launched && gpus_taking_part(point.what) == 1;
}

}  // namespace

std::vector<planned_point> merge_equal(std::vector<candidate> candidates) {
  std::vector<planned_point> kept;
  std::unordered_map<std::string, std::size_t> first_with;
  for (candidate& c : candidates) {
    if (c.planned.what.affinity == affinity::none) {
      kept.push_back(std::move(c.planned));
      continue;
    }
    const auto [found, is_new] = first_with.try_emplace(key_of(c), kept.size());
    if (is_new) {
      kept.push_back(std::move(c.planned));
      continue;
    }
    planned_point& first = kept[found->second];
    add_reason(first.why,
               differ_in_affinity_only(first.what, c.planned.what)
                   ? "equal placement: both affinities choose the same CPUs in the same order"
                   : "equal machine code of both loops on the same variables and CPUs");
    first.same_as.push_back(std::move(c.planned.what));
  }
  return kept;
}

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
    throw usage_error(fmt::format(
        "--study: no configuration is supported by both a native and a portable backend; "
        "backends in use: {}; `syncmeter list` says what to install for others",
        backends.empty() ? "none" : join({backends.begin(), backends.end()})));
  }
}

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

unsigned device_of(const planned_point& point, unsigned visit) {
  return point.devices.empty() ? point.device.value()
                               : point.devices[(visit - 1) % point.devices.size()];
}

void share_among_gpus(campaign_plan& plan, const run_options& options,
                      const std::vector<offered_op>& ops, const std::vector<worker_info>& workers) {
  if (options.devices.size() == 1) return;
  std::map<std::string, std::vector<unsigned>> turns;  // by backend
  for (planned_point& point : plan.points) {
    const std::string& backend = point.what.backend;
    if (!point.device || options.interleave_backends || !is_of_one_gpu(point, ops)) continue;
    const auto [next, is_new] = turns.try_emplace(backend);
    if (is_new) next->second = equal_gpus(*gpus_of(workers, backend), backend, options);
    if (next->second.size() < 2) continue;
    point.devices = next->second;
    std::rotate(next->second.begin(), next->second.begin() + 1, next->second.end());
  }
}

std::map<std::string, std::string> gpus_in_use(const campaign_plan& plan,
                                               const std::vector<worker_info>& workers) {
  std::map<std::string, std::set<unsigned>> indices;
  for (const planned_point& planned : plan.points) {
    const std::string& backend = planned.what.backend;
    const gpu_backend* gpus = planned.device ? gpus_of(workers, backend) : nullptr;
    if (gpus == nullptr) continue;
    auto& of_backend = indices[backend];
    of_backend.insert(*planned.device);
    of_backend.insert(planned.devices.begin(), planned.devices.end());
  }
  std::map<std::string, std::string> used;
  for (const auto& [backend, of_backend] : indices) {
    std::string name;
    std::vector<std::string> uuids;
    for (const unsigned index : of_backend) {
      const gpu_device& gpu = chosen_gpu(*gpus_of(workers, backend), backend, index);
      name = gpu.name;
      if (!gpu.uuid.empty()) uuids.push_back(gpu.uuid);
    }
    if (of_backend.size() > 1) name = fmt::format("{} x {}", of_backend.size(), name);
    used[backend] = uuids.empty() ? name : fmt::format("{} ({})", name, join(uuids));
  }
  return used;
}

std::vector<std::string> busy_gpus(const campaign_plan& plan,
                                   const std::vector<worker_info>& workers) {
  constexpr unsigned idle_percent = 5;
  std::set<std::string> sentences;  // a set, because several points and backends may use one GPU
  for (const planned_point& planned : plan.points) {
    const gpu_backend* gpus = planned.device ? gpus_of(workers, planned.what.backend) : nullptr;
    const std::size_t here = gpus == nullptr ? 0 : gpus->devices.size();
    std::vector<std::size_t> used{planned.devices.begin(), planned.devices.end()};
    if (planned.devices.empty())
      for (std::size_t i = 0; i < std::min<std::size_t>(here, gpus_taking_part(planned.what)); ++i)
        used.push_back((*planned.device + i) % here);
    for (const std::size_t at : used) {
      const gpu_device& gpu = gpus->devices[at];
      if (gpu.busy_percent.value_or(0) <= idle_percent) continue;
      sentences.insert(
          fmt::format("GPU {} ({}) was busy {} % of the time just before this run: another "
                      "program shares it, which can change costs and bandwidth",
                      gpu.index, gpu.name, *gpu.busy_percent));
    }
  }
  return {sentences.begin(), sentences.end()};
}

}  // namespace syncmeter

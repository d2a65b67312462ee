// From options, capabilities and the machine to the points of a campaign: choose backends and ops,
// take every axis from the user or else from the study, refuse what cannot be measured, place the
// lanes, and merge what would measure the same.
#include "driver/plan/plan.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/plan/counterparts.hpp"
#include "driver/plan/gpu_plan.hpp"
#include "driver/plan/merge.hpp"
#include "driver/plan/offered_ops.hpp"
#include "driver/plan/pinned_lanes.hpp"
#include "driver/plan/sample_first.hpp"
#include "driver/plan/strided_cells.hpp"
#include "driver/studies/studies.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

// Of nine campaigns on two machines, CPUs and GPUs: the mean visit took 11 to 34 ms, 22 in the
// middle (handoffs of a GPU 118); the rest of a campaign, by its starts of a worker, was 0.2 to 0.4
// s each on CPUs, and 0.7 to 1.2 s where a GPU had to come up.
constexpr double usual_visit_s = 0.022;
constexpr double usual_start_s = 0.3;
constexpr double usual_gpu_start_s = 0.9;
class planner {
 public:
  planner(const run_options& options, const topology& machine, const cpu_grant& grant)
      : options_(options), machine_(machine), max_(max_lanes(machine, grant)),
        unbound_because_(grant.unbound_because) {
    require_bound(options, false, grant);
    for (const lane_range& range : options.lanes) add_lanes(range, grant);
    require_pus(options.pus, machine);
    if (!options.pus.empty())
      require_lanes("--pus", static_cast<unsigned>(options.pus.size()), options, machine, grant);
  }

  void add(const offered_op& op, const study_axes& axes, const cpu_grant& grant) {
    require_bound(options_, axes.pairs, grant);
    for (const auto& type : wanted_types(op, options_, axes.types)) {
      for (const order o : orders_for(op)) {
        for (const placement where : wanted_placements(op, options_, axes.placements))
          add_cells(op, axes, type, o, where);
      }
    }
  }

  [[nodiscard]] std::vector<planned_point> points() { return merge_equal(std::move(candidates_)); }
  [[nodiscard]] std::vector<refused_point> take_refused() { return std::move(refused_); }

 private:
  void add_lanes(const lane_range& range, const cpu_grant& grant) {
    const unsigned last = range.max ? max_ : range.last;
    require_lanes("--lanes", last, options_, machine_, grant);
    for (unsigned n = range.max ? max_ : range.first; n <= last; ++n) add_once(lanes_, n);
  }

  [[nodiscard]] std::vector<order> orders_for(const offered_op& op) const {
    const std::vector<order> offered = op.orders();
    const bool has_axis = offered.size() > 1 || offered.front() != order::unordered;
    if (has_axis && !options_.orders.empty()) return options_.orders;
    return {offered.front()};
  }

  void add_cells(const offered_op& op, const study_axes& axes, std::optional<value_type> type,
                 enum order o, placement where) {
    const bool only_together = axes.strided_beyond_one_lane && options_.placements.empty() &&
                               where == placement::strided &&
                               contains(op.placements(), placement::shared);
    for (const std::vector<int>& pus : pinned_lanes(options_, axes.pairs, machine_, max_)) {
      for (const unsigned lanes : numbers_of_lanes(axes, pus)) {
        if (only_together && lanes == 1) continue;
        std::vector<cell_layout> layouts{{}};
        if (where == placement::strided && type)
          layouts = layouts_of(options_, axes, *type, lanes, machine_.line_bytes());
        for (const cell_layout& layout : layouts) {
          point p{.backend = op.backend,
                  .op = op.name,
                  .type = type,
                  .placement = where,
                  .stride = layout.stride,
                  .base_offset = layout.base_offset,
                  .cells = layout.cells};
          p.lanes = lanes;
          p.pus = pus;
          p.order = o;
          add_launches(op, axes, p);
        }
      }
    }
  }

  [[nodiscard]] std::vector<unsigned> numbers_of_lanes(const study_axes& axes,
                                                       const std::vector<int>& pus) const {
    if (!pus.empty()) return {static_cast<unsigned>(pus.size())};
    if (!lanes_.empty()) return lanes_;
    std::vector<unsigned> lanes = lanes_of(axes.lanes, max_);
    if (axes.oversubscribe_on_request && options_.oversubscribe) {
      for (const unsigned more : {max_ + 1, 2 * max_}) add_once(lanes, more);
    }
    return lanes;
  }

  [[nodiscard]] std::vector<affinity> affinities_of(const study_axes& axes, const point& p) const {
    if (!p.pus.empty()) return {affinity::none};
    if (!options_.affinities.empty()) return options_.affinities;
    return unbound_because_.empty() ? axes.affinities : std::vector{affinity::none};
  }

  void add_launches(const offered_op& op, const study_axes& axes, point p) {
    for (const affinity a : affinities_of(axes, p)) {
      for (const wait_policy wait : options_.waits.empty() ? axes.waits : options_.waits) {
        for (const home where : wanted_homes(op, options_, axes.homes)) {
          for (unsigned repeat = std::min(axes.repeats, 1U); repeat <= axes.repeats; ++repeat) {
            p.affinity = a;
            p.wait = wait;
            p.home = where;
            p.repeat = repeat;
            for (const unsigned late_us : wanted_lates_us(op, options_, axes.lates_us)) {
              p.late_us = late_us;
              for (const unsigned size : wanted_sizes(op, options_, axes.sizes)) {
                p.size = size;
                add_point(op, p, axes);
              }
            }
          }
        }
      }
    }
  }

  void add_point(const offered_op& op, const point& p, const study_axes& axes) {
    const capability* row = op.row(p);
    if (row == nullptr) return refuse(p, "unsupported", why_not_offered(op, p));
    if (!row->supported) return refuse(p, "unsupported", row->reason);
    if (p.affinity != affinity::none && !unbound_because_.empty())
      return refuse(p, "unsupported", "lanes cannot be bound here: " + unbound_because_);
    if (p.lanes < row->min_lanes) {
      return refuse(p, "unsupported", fmt::format("needs at least {} lanes", row->min_lanes),
                    p.lanes);
    }
    if (row->code.size() >= 2 && !row->code[0].empty() && row->code[0] == row->code[1] &&
        !row->empty_on_purpose) {
      return refuse(p, "elided",
                    "the compiler emits nothing for it: both loops are the same machine code");
    }
    if (const std::string why = why_no_layout(p); !why.empty())
      return refuse(p, "unsupported", why, p.cells != 0 ? p.lanes : 0);
    std::vector<int> pus = p.pus.empty() ? place(p.affinity, p.lanes) : p.pus;
    if (p.home != home::none && !home_pu(machine_.units(), p.home, pus))
      return refuse(p, "unsupported", why_no_home(p.home), p.lanes);
    if (!seen_.insert(canonical(p)).second) return;
    const bool additivity = axes.additivity || options_.additivity;
    candidates_.push_back({.planned = {.what = p,
                                       .pus = std::move(pus),
                                       .device = {},
                                       .same_as = {},
                                       .why = {},
                                       .additivity = additivity && row->additivity,
                                       .watch_states = axes.watch_states && p.lanes > 1,
                                       .visits = options_.visits.value_or(usual_cpu_visits),
                                       .census = row->census},
                           .row = row});
  }

  // What is refused whatever its cells and lanes is said once, at the first such point.
  void refuse(const point& p, const std::string& status, const std::string& reason,
              unsigned lanes = 0) {
    const std::string type = p.type ? std::string(to_text(*p.type)) : "";
    const std::string key =
        fmt::format("{} {} {} {} {} {}", p.backend, p.op, type, to_text(p.order), lanes, reason);
    if (refused_keys_.insert(key).second)
      refused_.push_back({.what = p, .status = status, .reason = reason});
  }

  // Beyond the last PU the placement starts again at the first.
  [[nodiscard]] std::vector<int> place(affinity policy, unsigned lanes) const {
    if (policy == affinity::none) return std::vector<int>(lanes, -1);
    const auto units = static_cast<unsigned>(machine_.units().size());
    std::vector<int> pus = machine_.place(policy, std::min(lanes, units));
    for (std::size_t i = 0; pus.size() < lanes; ++i) pus.push_back(pus[i]);
    return pus;
  }

  const run_options& options_;
  const topology& machine_;
  unsigned max_;
  const std::string& unbound_because_;
  std::vector<unsigned> lanes_;  // the user's; empty: the study's
  std::vector<candidate> candidates_;
  std::vector<refused_point> refused_;
  std::set<std::string> refused_keys_, seen_;
};

// The rules of a study that cover an op, and its values for other ops where the user names this
// one.
template <class Rule, class Axes, class Add>
void for_each_rule(const std::vector<Rule>& rules, const Axes& others, const std::string& op,
                   bool named, const Add& add) {
  bool covered = rules.empty();  // nothing at all on this kind of device
  for (const Rule& rule : rules) {
    if (!covers(rule, op)) continue;
    covered = true;
    add(rule.axes);
  }
  if (named && !covered) add(others);
}

template <class T> void append(std::vector<T>& all, std::vector<T> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

// With each pass every worker starts anew, once for each way of waiting and size of a pool.
double predicted_s(const campaign_plan& plan, const run_options& options,
                   const std::vector<worker_info>& workers) {
  double all = 0;
  std::map<std::tuple<std::string, wait_policy, unsigned>, double> starts_s;
  for (const planned_point& p : plan.points) {
    all += p.visits * std::min(max_visit_s(p, options), usual_visit_s);
    for (const worker_info& worker : workers) {
      if (!contains(worker.backends, p.what.backend)) continue;
      const unsigned pool = worker.pooled.contains(p.what.backend) ? p.what.lanes : 0;
      double& starts = starts_s[{worker.name, p.what.wait, pool}];
      starts = std::max(starts, p.visits * (p.device ? usual_gpu_start_s : usual_start_s));
    }
  }
  for (const auto& [environment, seconds] : starts_s) all += seconds;
  return all;
}

// Every part of a plan comes from a planner of its own: one for the CPUs, one for each backend's
// GPU.
class planners {
 public:
  planners(const run_options& options, const std::vector<worker_info>& workers,
           const topology& machine, const cpu_grant& grant)
      : options_(options), workers_(workers), machine_(machine), grant_(grant) {}

  void add(const study& chosen, const offered_op& op, bool named) {
    if (const gpu_backend* gpus = gpus_of(workers_, op.backend)) {
      const auto [gpu, is_new] = on_gpus_.try_emplace(
          op.backend, options_, chosen_gpu(*gpus, op.backend, options_.device));
      for_each_rule(chosen.gpu.rules, chosen.gpu.others, op.name, named,
                    [&, &on = gpu->second](const gpu_axes& axes) { on.add(op, axes); });
      return;
    }
    if (!on_cpus_) on_cpus_.emplace(options_, machine_, grant_);
    for_each_rule(chosen.rules, chosen.others, op.name, named,
                  [&](const study_axes& axes) { on_cpus_->add(op, axes, grant_); });
  }

  [[nodiscard]] campaign_plan finish() {
    campaign_plan plan;
    if (on_cpus_) {
      plan.points = on_cpus_->points();
      plan.refused = on_cpus_->take_refused();
    }
    for (auto& [backend, planner] : on_gpus_) {
      append(plan.points, planner.take_points());
      append(plan.refused, planner.take_refused());
    }
    plan.predicted_s = predicted_s(plan, options_, workers_);
    return plan;
  }

 private:
  const run_options& options_;
  const std::vector<worker_info>& workers_;
  const topology& machine_;
  const cpu_grant& grant_;
  std::optional<planner> on_cpus_;
  std::map<std::string, gpu_planner> on_gpus_;
};

}  // namespace

double max_visit_s(const planned_point& point, const run_options& options) {
  return (point.device ? options.gpu_max_time_s : options.max_time_s) / point.visits;
}

campaign_plan make_plan(const run_options& options, const std::vector<worker_info>& workers,
                        const topology& machine, const cpu_grant& grant) {
  const study* chosen = find_study(options.study);
  if (chosen == nullptr)
    throw usage_error(unknown_name("--study", "study", options.study, study_names()));
  const std::vector<offered_op> ops = offered_ops(options, workers);
  const bool any_gpu = std::any_of(ops.begin(), ops.end(), [&](const offered_op& op) {
    return gpus_of(workers, op.backend) != nullptr;
  });
  if (!any_gpu) require_gpu_for(options);
  if (!any_gpu && chosen->rules.empty()) {
    throw usage_error(fmt::format("--study: '{}' needs a GPU backend, and none is in use; "
                                  "`syncmeter list` says what is missing",
                                  options.study));
  }

  planners all(options, workers, machine, grant);
  for (const offered_op& op : ops) {
    const bool named =
        std::any_of(options.ops.begin(), options.ops.end(),
                    [&](const std::string& pattern) { return fits(pattern, op.name); });
    if (chosen->native_only && options.backends.empty() && is_portable(workers, op.backend))
      continue;
    if (chosen->native_first && options.backends.empty() && has_native(ops, op, workers)) continue;
    if (options.ops.empty() || named) all.add(*chosen, op, named);
  }
  campaign_plan plan = all.finish();
  plan.layouts_together = chosen->layouts_together;
  plan.ops_together = chosen->ops_together;
  plan.waits_together = chosen->waits_together;
  plan.left_out = chosen->left_out;
  if (chosen->counterparts_only) keep_counterparts(plan, workers);
  if (chosen->pace && !options.visits && plan.points.size() > chosen->pace->many) {
    for (planned_point& p : plan.points) p.visits = chosen->pace->visits_of_many;
    plan.predicted_s = predicted_s(plan, options, workers);
  }
  if (chosen->pace && chosen->pace->longest_s && plan.predicted_s > *chosen->pace->longest_s)
    put_sample_first(plan, units_wanted(options, machine), *chosen->pace->longest_s);
  if (plan.points.empty() && plan.refused.empty()) {
    throw usage_error(
        fmt::format("--study: '{}' has no point with these options: no backend in use has its ops",
                    options.study));
  }
  return plan;
}

}  // namespace syncmeter

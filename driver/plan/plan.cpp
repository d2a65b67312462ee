// Makes a campaign's points from options, capabilities and the machine: chooses backends and ops,
// lets one planner per kind of device make points, and predicts the duration.
#include "driver/plan/plan.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/machine/topology.hpp"
#include "driver/plan/cpu_plan.hpp"
#include "driver/plan/gpu_plan.hpp"
#include "driver/plan/offered_ops.hpp"
#include "driver/plan/pinned_lanes.hpp"
#include "driver/plan/point_groups.hpp"
#include "driver/plan/study.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

// Measured in nine campaigns: a worker start took 0.2 to 0.4 s on CPUs and 0.7 to 1.2 s on a GPU.
constexpr double usual_start_s = 0.3;
constexpr double usual_gpu_start_s = 0.9;
// A step lasts as long as a lane is late. Counts both sides of a visit's fewest rounds, and
// calibration. A study with late lanes took 48 and 54 s, but the prediction was 15 s.
constexpr double late_steps = 30;

// Returns true for an op without cells, whatever placement a study asks for.
bool has_any(const offered_op& op, const std::vector<placement>& wanted) {
  return std::ranges::any_of(
      op.placements(), [&](placement p) { return p == placement::none || contains(wanted, p); });
}

// Calls `add` for each rule of an op, or with the study's `others` if the user named an op without
// a rule.
template <class Rule, class Axes, class Add>
void for_each_rule(const std::vector<Rule>& rules, const Axes& others, const offered_op& op,
                   bool named, const Add& add) {
  // Names the family for an op that only a user's worker has.
  const std::string family =
      is_own_backend(op.backend) || is_own_op(op.name) ? "" : op.rows.front()->family;
  bool covered = rules.empty();  // without rules there is no point on this kind of device
  for (const Rule& rule : rules) {
    if (rule.only_in_quick && !op.rows.front()->in_quick) continue;
    if (!covers(rule, op.name, family)) continue;
    covered = true;
    if (!family.empty() && !has_any(op, rule.axes.placements)) continue;
    add(rule.axes);
  }
  if (named && !covered) add(others);
}

template <class T> void append(std::vector<T>& all, std::vector<T> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

// Predicts the duration. With each pass every worker starts again, once per wait policy and pool
// size.
void predict(campaign_plan& plan, const study& chosen, const run_options& options,
             const std::vector<worker_info>& workers) {
  struct starts {
    unsigned number = 0;
    double each_s = 0;
  };
  double all = 0;
  std::map<std::tuple<std::string, wait_policy, unsigned>, starts> starts_of;
  for (const planned_point& p : plan.points) {
    const double at_once = static_cast<double>(std::max<std::size_t>(p.devices.size(), 1));
    const double visit_s =
        std::min(max_visit_s(p, options), p.device ? chosen.gpu.visit_s : usual_visit_s);
    all += p.visits * (visit_s + late_steps * (p.what.late_us + p.what.gap_us) * 1e-6) / at_once;
    for (const worker_info& worker : workers) {
      if (!contains(worker.backends, p.what.backend)) continue;
      const unsigned pool = worker.pooled.contains(p.what.backend) ? p.what.lanes : 0;
      starts& its = starts_of[{worker.name, p.what.wait, pool}];
      its.number = std::max(its.number, p.visits);
      its.each_s = p.device ? usual_gpu_start_s : usual_start_s;
    }
  }
  plan.worker_starts = 0;
  for (const auto& [environment, its] : starts_of) {
    plan.worker_starts += its.number;
    all += its.number * its.each_s;
  }
  plan.predicted_s = all;
}

// The planners: one for CPUs, and one for each backend's GPU.
class planners {
 public:
  planners(const run_options& options, const std::vector<worker_info>& workers,
           const topology& machine, const cpu_grant& grant)
      : options_(options), workers_(workers), machine_(machine), grant_(grant) {}

  void add(const study& chosen, const offered_op& op, bool named) {
    if (const gpu_backend* gpus = gpus_of(workers_, op.backend)) {
      const unsigned first = options_.devices.empty() ? 0 : options_.devices.front();
      const auto [gpu, is_new] =
          on_gpus_.try_emplace(op.backend, options_, chosen_gpu(*gpus, op.backend, first));
      for_each_rule(chosen.gpu.rules, chosen.gpu.others, op, named,
                    [&, &on = gpu->second](const gpu_axes& axes) { on.add(op, axes); });
      return;
    }
    if (!on_cpus_) on_cpus_.emplace(options_, machine_, grant_);
    for_each_rule(chosen.rules, chosen.others, op, named,
                  [&](const study_axes& axes) { on_cpus_->add(op, axes); });
  }

  [[nodiscard]] campaign_plan finish() {
    campaign_plan plan;
    if (on_cpus_) {
      plan.points = on_cpus_->take_points();
      plan.refused = on_cpus_->take_refused();
    }
    for (auto& [backend, planner] : on_gpus_) {
      append(plan.points, planner.take_points());
      append(plan.refused, planner.take_refused());
    }
    return plan;
  }

 private:
  const run_options& options_;
  const std::vector<worker_info>& workers_;
  const topology& machine_;
  const cpu_grant& grant_;
  std::optional<cpu_planner> on_cpus_;
  std::map<std::string, gpu_planner> on_gpus_;
};

// Throws usage_error for affinity quiet in studies that compare placements. Quiet depends on other
// processes, so a difference would not come from the placement.
void refuse_quiet_placements(const study& chosen, const run_options& options) {
  if (!contains(options.affinities, affinity::quiet) || !compares_placements(chosen)) return;
  std::vector<std::string> others;
  for (const study& other : studies())
    if (!other.rules.empty() && !compares_placements(other)) others.emplace_back(other.name);
  throw usage_error(fmt::format("--affinity: quiet is not allowed in study '{}', which compares "
                                "placements; it is in {}",
                                chosen.name, fmt::join(others, ", ")));
}

// Returns the number and names of backends that a study compares without a worker, and what to do.
std::string lacking_text(const campaign_plan& plan, const std::vector<std::string>& lacking,
                         const study& chosen) {
  if (lacking.empty()) return "";
  std::set<std::string> compared(lacking.begin(), lacking.end());
  for (const planned_point& p : plan.points) compared.insert(p.what.backend);
  std::vector<std::string> not_built, others;
  for (const std::string& backend : lacking)
    (can_be_built(backend) ? not_built : others).push_back(backend);
  std::string text =
      fmt::format("study '{}' compares {} backends; {} of them {} left out: ", chosen.name,
                  compared.size(), lacking.size(), lacking.size() == 1 ? "is" : "are");
  if (!not_built.empty())
    text += fmt::format("{} ({})", join(not_built),
                        not_built_text(not_built, fmt::format("--study {}", chosen.name)));
  if (!others.empty())
    text += fmt::format("{}{} (`syncmeter list` says what to install)",
                        not_built.empty() ? "" : ", ", join(others));
  return text;
}

// Orders the points if a campaign has too many pairs of PUs for its time. A sample from each pair
// class comes first, with all visits. Single pairs follow pass by pass until `budget_s` is spent. A
// short campaign then has every class and a coarse matrix.
void put_sample_first(campaign_plan& plan, const std::vector<processing_unit>& units,
                      double budget_s) {
  std::set<std::pair<int, int>> sample;
  for (const pu_pair& pair : sampled_pairs(units)) {
    sample.insert({pair.first, pair.second});
    sample.insert({pair.second, pair.first});
  }
  for (planned_point& p : plan.points) {
    const bool in_sample = p.pus.size() == 2 && sample.contains({p.pus[0], p.pus[1]});
    p.stage = in_sample ? 0 : 1;
  }
  plan.left_out =
      fmt::format("pairs beyond a sample of each class, as far as {:g} s do not last for them "
                  "(about {:.0f} s would; --budget)",
                  budget_s, plan.predicted_s);
  plan.budget_s = budget_s;
  plan.predicted_s = std::min(plan.predicted_s, budget_s);
}

// The host's clock times portable backends, because these launch kernels themselves. Native
// backends of the same study use the same clock.
void queue_rounds(campaign_plan& plan, unsigned at_once, const std::vector<worker_info>& workers) {
  const bool any_portable = std::ranges::any_of(plan.points, [&](const planned_point& p) {
    return p.device && is_portable(workers, p.what.backend);
  });
  if (any_portable) return;
  for (planned_point& p : plan.points)
    if (p.device) p.rounds_at_once = at_once;
}

}  // namespace

double max_visit_s(const planned_point& point, const run_options& options) {
  return (point.device ? options.gpu_max_time_s : options.max_time_s) / point.visits;
}

campaign_plan make_plan(const run_options& options, const std::vector<worker_info>& workers,
                        const topology& machine, const cpu_grant& grant) {
  const study* chosen = find_study(options.study);
  if (chosen == nullptr)
    throw usage_error(unknown_name("--study", "study", options.study, study_names()));
  refuse_quiet_placements(*chosen, options);
  const std::vector<offered_op> ops = offered_ops(options, workers);
  const bool any_gpu = std::ranges::any_of(
      ops, [&](const offered_op& op) { return gpus_of(workers, op.backend) != nullptr; });
  if (!any_gpu) require_gpu_for(options);
  if (!any_gpu && chosen->rules.empty()) {
    throw usage_error(fmt::format("--study: '{}' needs a GPU backend, and none is in use; "
                                  "`syncmeter list` says what is missing",
                                  options.study));
  }

  planners all(options, workers, machine, grant);
  for (const offered_op& op : ops) {
    const bool named = std::ranges::any_of(
        options.ops, [&](const std::string& pattern) { return fits(pattern, op.name); });
    if (chosen->native_only && options.backends.empty() && is_portable(workers, op.backend))
      continue;
    if (chosen->native_first && options.backends.empty() && has_native(ops, op, workers)) continue;
    if (options.ops.empty() || named) all.add(*chosen, op, named);
  }
  campaign_plan plan = all.finish();
  plan.layouts_together = chosen->layouts_together;
  plan.ops_together = chosen->ops_together;
  plan.waits_together = chosen->waits_together;
  const std::vector<std::string> lacking = backends_lacking(options, workers);
  plan.backends_missing = lacking_text(plan, lacking, *chosen);
  plan.left_out = chosen->left_out;
  if (!lacking.empty())
    plan.left_out = fmt::format("backends without a worker ({}); {}", join(lacking), plan.left_out);
  if (chosen->counterparts_only) keep_counterparts(plan, workers);
  if (chosen->pace && chosen->pace->many && !options.visits &&
      plan.points.size() > *chosen->pace->many)
    for (planned_point& p : plan.points) p.visits = chosen->pace->visits_of_many;
  share_among_gpus(plan, options, ops, workers);
  queue_rounds(plan, chosen->gpu.rounds_at_once, workers);
  predict(plan, *chosen, options, workers);
  if (chosen->pace && chosen->pace->longest_s && plan.predicted_s > *chosen->pace->longest_s)
    put_sample_first(plan, units_wanted(options, machine), *chosen->pace->longest_s);
  if (plan.points.empty() && plan.refused.empty()) {
    throw usage_error(fmt::format("--study: '{}' has no configuration with these options: no "
                                  "backend in use has its operations",
                                  options.study));
  }
  return plan;
}

std::string arm_key(point p, const compared_arms& arms) {
  p.arm.clear();
  if (arms.any_backend) p.backend = "any";
  if (arms.any_wait) p.wait = {};
  return canonical(p);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(build_arm, name, path, environment)

// Defaults are for files of earlier versions, which lack some fields.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(compared_arms, arms, threshold, all, looks_again,
                                                any_backend, any_wait, equal, only)

nlohmann::json arms_json(const compared_arms& arms) { return arms; }

std::optional<compared_arms> arms_in(const nlohmann::json& campaign, const std::string& path) {
  const auto found = campaign.find("ab");
  if (found == campaign.end()) return std::nullopt;
  try {
    (void)found->at("arms"), (void)found->at("threshold");  // later fields may be absent
    return found->get<compared_arms>();
  } catch (const nlohmann::json::exception& error) {
    throw usage_error(fmt::format("{}: line 1: invalid 'ab': {}", path, error.what()));
  }
}

}  // namespace syncmeter

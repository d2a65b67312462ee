// From options, capabilities and the machine to the points of a campaign: choose backends and ops,
// have a planner for each kind of device make their points, and say how long they take.
#include "driver/plan/plan.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/machine/topology.hpp"
#include "driver/plan/gpu_plan.hpp"
#include "driver/plan/offered_ops.hpp"
#include "driver/plan/pinned_lanes.hpp"
#include "driver/plan/point_groups.hpp"
#include "driver/plan/study.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

// Of nine campaigns on two machines, CPUs and GPUs: the mean visit took 11 to 34 ms, 22 in the
// middle (handoffs of a GPU 118); the rest of a campaign, by its starts of a worker, was 0.2 to 0.4
// s each on CPUs, and 0.7 to 1.2 s where a GPU had to come up.
constexpr double usual_visit_s = 0.022;
constexpr double usual_start_s = 0.3;
constexpr double usual_gpu_start_s = 0.9;
// A step lasts as long as a lane is late: both sides of the fewest rounds of a visit, and what
// finds the number of steps. A study of late lanes took 48 and 54 s, and was predicted to take 15.
constexpr double late_steps = 30;

// An op without cells has whatever placement a study asks for.
bool has_any(const offered_op& op, const std::vector<placement>& wanted) {
  return std::ranges::any_of(
      op.placements(), [&](placement p) { return p == placement::none || contains(wanted, p); });
}

// The rules of a study that cover an op, and its values for other ops where the user names this
// one.
template <class Rule, class Axes, class Add>
void for_each_rule(const std::vector<Rule>& rules, const Axes& others, const offered_op& op,
                   bool named, const Add& add) {
  // Of an op that only a user's worker has.
  const std::string family =
      is_own_backend(op.backend) || is_own_op(op.name) ? "" : op.rows.front()->family;
  bool covered = rules.empty();  // nothing at all on this kind of device
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

// With each pass every worker starts anew, once for each way of waiting and size of a pool.
double predicted_s(const campaign_plan& plan, const run_options& options,
                   const std::vector<worker_info>& workers) {
  double all = 0;
  std::map<std::tuple<std::string, wait_policy, unsigned>, double> starts_s;
  for (const planned_point& p : plan.points) {
    const double at_once = static_cast<double>(std::max<std::size_t>(p.devices.size(), 1));
    const double visit_s = std::min(max_visit_s(p, options), usual_visit_s);
    all += p.visits * (visit_s + late_steps * (p.what.late_us + p.what.gap_us) * 1e-6) / at_once;
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

/// An axis that only ops with a trait have, or with another one; all else has 0 on it.
struct trait_axis {
  unsigned point::* axis;
  bool capability::* trait;
  std::vector<unsigned> run_options::* of_user;
  std::vector<unsigned> study_axes::* of_study;
  bool capability::* other_trait = trait;
  [[nodiscard]] bool is_of(const capability& op) const { return op.*trait || op.*other_trait; }
};
constexpr trait_axis trait_axes[]{
    {&point::late_us, &capability::arrives_late, &run_options::lates_us, &study_axes::lates_us},
    {&point::section_ns, &capability::holds_lock, &run_options::sections_ns,
     &study_axes::sections_ns, &capability::has_work},
    {&point::think_ns, &capability::holds_lock, &run_options::thinks_ns, &study_axes::thinks_ns},
    {&point::reads_per_write, &capability::reads_and_writes, &run_options::reads_per_write,
     &study_axes::reads_per_write},
    {&point::gap_us, &capability::after_gap, &run_options::gaps_us, &study_axes::gaps_us}};

/// The points of a study on CPUs: cells, lanes and how they are launched, and what of them is
/// refused.
class cpu_planner {
 public:
  /// Throws usage_error for lanes and PUs that cannot be had. All three must outlive this object.
  cpu_planner(const run_options& options, const topology& machine, const cpu_grant& grant)
      : options_(options), machine_(machine), max_(max_lanes(machine, grant)),
        unbound_because_(grant.unbound_because) {
    require_bound(options, false, grant);
    for (const count_range& range : options.lanes) add_lanes(range, grant);
    require_pus(options.pus, machine);
    if (!options.pus.empty())
      require_lanes("--pus", static_cast<unsigned>(options.pus.size()), options, machine, grant);
  }

  /// Adds the points of one op of a study's rule; those that are there already are left out.
  void add(const offered_op& op, const study_axes& axes, const cpu_grant& grant) {
    require_bound(options_, axes.pairs, grant);
    for (const auto& type : wanted_types(op, options_, axes.types)) {
      for (const order o : orders_for(op))
        for (const placement where : wanted_placements(op, options_, axes.placements))
          add_cells(op, axes, type, o, where);
    }
  }

  [[nodiscard]] std::vector<planned_point> points() { return merge_equal(std::move(candidates_)); }
  [[nodiscard]] std::vector<refused_point> take_refused() { return std::move(refused_); }

 private:
  void add_lanes(const count_range& range, const cpu_grant& grant) {
    const unsigned last = range.named == count_range::symbol::max ? max_ : range.last;
    require_lanes("--lanes", last, options_, machine_, grant);
    for (unsigned n = range.named == count_range::symbol::max ? max_ : range.first; n <= last; ++n)
      add_once(lanes_, n);
  }

  std::vector<order> orders_for(const offered_op& op) const {
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

  std::vector<unsigned> numbers_of_lanes(const study_axes& axes,
                                         const std::vector<int>& pus) const {
    if (!pus.empty()) return {static_cast<unsigned>(pus.size())};
    if (!lanes_.empty()) return lanes_;
    std::vector<unsigned> lanes = lanes_of(axes.lanes, max_);
    if (axes.oversubscribe_on_request && options_.oversubscribe)
      for (const unsigned more : {max_ + 1, 2 * max_}) add_once(lanes, more);
    if (axes.one_lane_more_on_request)
      lanes = options_.oversubscribe ? std::vector{max_ + 1} : std::vector<unsigned>{};
    return lanes;
  }

  std::vector<affinity> affinities_of(const offered_op& op, const study_axes& axes,
                                      const point& p) const {
    if (!p.pus.empty() || op.rows.front()->own_threads) return {affinity::none};
    if (!options_.affinities.empty()) return options_.affinities;
    return unbound_because_.empty() ? axes.affinities : std::vector{affinity::none};
  }

  void add_launches(const offered_op& op, const study_axes& axes, const point& p) {
    std::vector<along<unsigned>> numbers{{&point::repeat, repeats_of(axes.repeats)}};
    for (const trait_axis& each : trait_axes) {
      const auto& of_user = options_.*each.of_user;
      numbers.push_back({each.axis, !each.is_of(*op.rows.front()) ? std::vector{0U}
                                    : of_user.empty()             ? axes.*each.of_study
                                                                  : of_user});
    }
    numbers.push_back({&point::size, wanted_sizes(op, options_, axes.sizes)});
    for_each_combination(
        p,
        [&](const point& launch) {
          for_each_combination(
              launch, [&](const point& at) { add_point(op, at, axes); }, std::span(numbers));
        },
        along{&point::affinity, affinities_of(op, axes, p)},
        along{&point::wait, options_.waits.empty() ? axes.waits : options_.waits},
        along{&point::home, wanted_homes(op, options_, axes.homes, false)});
  }

  void add_point(const offered_op& op, const point& p, const study_axes& axes) {
    const capability* row = op.row(p);
    if (row == nullptr) return refuse(p, "unsupported", why_not_offered(op, p));
    if (!row->supported) return refuse(p, "unsupported", row->reason);
    if (p.affinity != affinity::none && !unbound_because_.empty())
      return refuse(p, "unsupported", "lanes cannot be bound here: " + unbound_because_);
    if (row->own_threads && !p.pus.empty())
      return refuse(p, "unsupported", "starts threads of its own, which nothing binds to PUs");
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
    if (!planned_.insert(canonical(p)).second) return;
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

  // What is refused whatever its cells and lanes is listed once, at the first such point.
  void refuse(const point& p, const std::string& status, const std::string& reason,
              unsigned lanes = 0) {
    const std::string type = p.type ? std::string(to_text(*p.type)) : "";
    const std::string key =
        fmt::format("{} {} {} {} {} {}", p.backend, p.op, type, to_text(p.order), lanes, reason);
    if (refused_keys_.insert(key).second)
      refused_.push_back({.what = p, .status = status, .reason = reason});
  }

  // Beyond the last PU the placement starts again at the first.
  std::vector<int> place(affinity policy, unsigned lanes) const {
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
  std::set<std::string> refused_keys_, planned_;
};

// Every part of a plan comes from a planner of its own: one for the CPUs, one for each backend's
// GPU.
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

// Where quiet puts lanes depends on what else runs: no difference between placements is one of its.
void refuse_quiet_placements(const study& chosen, const run_options& options) {
  if (!contains(options.affinities, affinity::quiet) || !compares_placements(chosen)) return;
  std::vector<std::string> others;
  for (const study& other : studies())
    if (!other.rules.empty() && !compares_placements(other)) others.emplace_back(other.name);
  throw usage_error(fmt::format("--affinity: quiet is not allowed in study '{}', which compares "
                                "placements; it is in {}",
                                chosen.name, fmt::join(others, ", ")));
}

// Which backends a study compares and has no worker for, how many those are, and what to do.
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

// A campaign of more pairs of PUs than its time lasts for: a sample of each class of pairs comes
// first, with all its visits, then single pairs pass by pass as far as `budget_s` lasts. A campaign
// that is cut short has every class and a coarse matrix.
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

// Portable backends launch kernels themselves and are timed by the host's clock: what they are
// compared with has to be as well.
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
  if (chosen->pace && !options.visits && plan.points.size() > chosen->pace->many)
    for (planned_point& p : plan.points) p.visits = chosen->pace->visits_of_many;
  share_among_gpus(plan, options, ops, workers);
  queue_rounds(plan, chosen->gpu.rounds_at_once, workers);
  plan.predicted_s = predicted_s(plan, options, workers);
  if (chosen->pace && chosen->pace->longest_s && plan.predicted_s > *chosen->pace->longest_s)
    put_sample_first(plan, units_wanted(options, machine), *chosen->pace->longest_s);
  if (plan.points.empty() && plan.refused.empty()) {
    throw usage_error(
        fmt::format("--study: '{}' has no point with these options: no backend in use has its ops",
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

// Files of earlier versions lack some of them.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(compared_arms, arms, threshold, all, looks_again,
                                                any_backend, any_wait, equal, only)

nlohmann::json arms_json(const compared_arms& arms) { return arms; }

std::optional<compared_arms> arms_in(const nlohmann::json& campaign, const std::string& path) {
  const auto found = campaign.find("ab");
  if (found == campaign.end()) return std::nullopt;
  try {
    (void)found->at("arms"), (void)found->at("threshold");  // the others have been added since
    return found->get<compared_arms>();
  } catch (const nlohmann::json::exception& error) {
    throw usage_error(fmt::format("{}: line 1: invalid 'ab': {}", path, error.what()));
  }
}

}  // namespace syncmeter

// From options, capabilities and the machine to the points of a campaign: choose backends and ops,
// take every axis from the user or else from the study, refuse what cannot be measured, place the
// lanes, and merge what would measure the same.
#include "cli/plan.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/merge.hpp"
#include "cli/offered_ops.hpp"
#include "cli/parse_axes.hpp"
#include "cli/studies.hpp"

namespace syncmeter {
namespace {

// What one visit takes where the op is well-behaved: some tens of rounds of two samples of 100 us,
// the calibration and the probes.
constexpr double usual_visit_s = 0.008;

class planner {
 public:
  planner(const run_options& options, const topology& machine, const cpu_grant& grant)
      : options_(options), machine_(machine), max_(max_lanes(machine, grant)) {
    for (const lane_range& range : options.lanes) add_lanes(range, grant);
  }

  void add(const offered_op& op, const study_axes& axes) {
    for (const auto& type : types_for(op, axes)) {
      for (const order o : orders_for(op)) {
        for (const placement where : placements_for(op, axes)) add_cells(op, axes, type, o, where);
      }
    }
  }

  [[nodiscard]] campaign_plan finish() {
    campaign_plan plan;
    plan.points = merge_equal(std::move(candidates_));
    plan.refused = std::move(refused_);
    const double visit_s = std::min(options_.max_time_s / options_.visits, usual_visit_s);
    for (const planned_point& p : plan.points) plan.predicted_s += p.visits * visit_s;
    return plan;
  }

 private:
  void add_lanes(const lane_range& range, const cpu_grant& grant) {
    const unsigned last = range.max ? max_ : range.last;
    if (last > max_ && !options_.oversubscribe) {
      const std::string quota =
          grant.quota_cpus
              ? fmt::format(" and a quota of {:g} CPUs ({})", *grant.quota_cpus, grant.quota_source)
              : "";
      throw usage_error(
          fmt::format("--lanes: {} is more than the {} lanes allowed here ({} processing units{}); "
                      "--oversubscribe lifts the limit",
                      last, max_, machine_.units().size(), quota));
    }
    for (unsigned n = range.max ? max_ : range.first; n <= last; ++n) add_once(lanes_, n);
  }

  [[nodiscard]] std::vector<std::optional<value_type>> types_for(const offered_op& op,
                                                                 const study_axes& axes) const {
    const std::vector<value_type> offered = op.types();
    if (offered.empty()) return {std::nullopt};
    if (!options_.types.empty()) return {options_.types.begin(), options_.types.end()};
    if (axes.types == type_set::one) {
      return {contains(offered, value_type::int32) ? value_type::int32 : offered.front()};
    }
    std::vector<std::optional<value_type>> all;
    for (const value_type type : offered) {
      if (axes.types == type_set::all || type != value_type::uint32) all.emplace_back(type);
    }
    return all;
  }

  [[nodiscard]] std::vector<order> orders_for(const offered_op& op) const {
    const std::vector<order> offered = op.orders();
    const bool has_axis = offered.size() > 1 || offered.front() != order::unordered;
    if (has_axis && !options_.orders.empty()) return options_.orders;
    return {offered.front()};
  }

  [[nodiscard]] std::vector<placement> placements_for(const offered_op& op,
                                                      const study_axes& axes) const {
    const std::vector<placement> offered = op.placements();
    if (offered == std::vector{placement::none}) return offered;
    if (!options_.placements.empty()) return options_.placements;
    std::vector<placement> both;
    for (const placement p : axes.placements) {
      if (contains(offered, p)) both.push_back(p);
    }
    return both.empty() ? offered : both;
  }

  void add_cells(const offered_op& op, const study_axes& axes, std::optional<value_type> type,
                 enum order o, placement where) {
    std::vector<unsigned> strides{0};
    if (where == placement::strided && type) {
      if (!options_.strides.empty()) strides = options_.strides;
      else if (!axes.strides.empty()) strides = axes.strides;
      else
        strides = {static_cast<unsigned>(
            std::max<std::size_t>(1, machine_.line_bytes() / size_of(*type)))};
    }
    const bool only_together = axes.strided_beyond_one_lane && options_.placements.empty() &&
                               where == placement::strided &&
                               contains(op.placements(), placement::shared);
    for (const unsigned lanes : lanes_.empty() ? lanes_of(axes.lanes, max_) : lanes_) {
      if (only_together && lanes == 1) continue;
      for (const unsigned stride : strides) {
        point p{.backend = op.backend,
                .op = op.name,
                .type = type,
                .placement = where,
                .stride = stride,
                .scope = {}};
        p.lanes = lanes;
        p.order = o;
        add_launches(op, axes, p);
      }
    }
  }

  void add_launches(const offered_op& op, const study_axes& axes, point p) {
    for (const affinity a : options_.affinities.empty() ? axes.affinities : options_.affinities) {
      for (const wait_policy wait : options_.waits.empty() ? axes.waits : options_.waits) {
        for (unsigned repeat = std::min(axes.repeats, 1U); repeat <= axes.repeats; ++repeat) {
          p.affinity = a;
          p.wait = wait;
          p.repeat = repeat;
          add_point(op, p, axes.additivity || options_.additivity);
        }
      }
    }
  }

  void add_point(const offered_op& op, const point& p, bool additivity) {
    const capability* row = op.row(p);
    if (row == nullptr) return refuse(p, "unsupported", why_not_offered(op, p));
    if (!row->supported) return refuse(p, "unsupported", row->reason);
    if (p.lanes < row->min_lanes) {
      return refuse(p, "unsupported", fmt::format("needs at least {} lanes", row->min_lanes),
                    p.lanes);
    }
    if (row->code.size() >= 2 && !row->code[0].empty() && row->code[0] == row->code[1] &&
        !row->empty_on_purpose) {
      return refuse(p, "elided",
                    "the compiler emits nothing for it: both loops are the same machine code");
    }
    if (!seen_.insert(canonical(p)).second) return;
    candidates_.push_back({.planned = {.what = p,
                                       .pus = place(p.affinity, p.lanes),
                                       .same_as = {},
                                       .why = {},
                                       .additivity = additivity,
                                       .visits = options_.visits},
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

  template <class Enum> static std::string texts(const std::vector<Enum>& values) {
    std::vector<std::string> all;
    for (const Enum value : values) all.emplace_back(to_text(value));
    return join(all);
  }

  static std::string why_not_offered(const offered_op& op, const point& p) {
    if (p.type && !contains(op.types(), *p.type)) {
      return fmt::format("has no type {}, only {}", to_text(*p.type), texts(op.types()));
    }
    if (!contains(op.orders(), p.order)) {
      return fmt::format("has no order {}, only {}", to_text(p.order), texts(op.orders()));
    }
    if (!contains(op.placements(), p.placement)) {
      return fmt::format("has no placement {}, only {}", to_text(p.placement),
                         texts(op.placements()));
    }
    return "the backend does not offer this combination of type, order and placement";
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
  std::vector<unsigned> lanes_;  // the user's; empty: the study's
  std::vector<candidate> candidates_;
  std::vector<refused_point> refused_;
  std::set<std::string> refused_keys_, seen_;
};

}  // namespace

campaign_plan make_plan(const run_options& options, const std::vector<worker_info>& workers,
                        const topology& machine, const cpu_grant& grant) {
  const study* chosen = find_study(options.study);
  if (chosen == nullptr)
    throw usage_error(unknown_name("--study", "study", options.study, study_names()));
  const std::vector<offered_op> ops = offered_ops(options, workers);

  planner planner(options, machine, grant);
  for (const offered_op& op : ops) {
    const bool named =
        std::any_of(options.ops.begin(), options.ops.end(),
                    [&](const std::string& pattern) { return fits(pattern, op.name); });
    if (!options.ops.empty() && !named) continue;
    bool covered = false;
    for (const study_rule& rule : chosen->rules) {
      if (!covers(rule, op.name)) continue;
      covered = true;
      planner.add(op, rule.axes);
    }
    if (named && !covered) planner.add(op, chosen->others);
  }
  campaign_plan plan = planner.finish();
  if (plan.points.empty() && plan.refused.empty()) {
    throw usage_error(
        fmt::format("study '{}' has no point for these options here: no backend in use has its ops",
                    options.study));
  }
  return plan;
}

const std::vector<known_backend>& known_backends() {
  static const std::vector<known_backend> all{
      {"omp", "a compiler with OpenMP (Debian: g++, or clang with libomp-dev), then build again"}};
  return all;
}

}  // namespace syncmeter

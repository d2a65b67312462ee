// Makes points on CPUs from a study's rule.
#include "driver/plan/cpu_plan.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "driver/plan/pinned_lanes.hpp"

namespace syncmeter {
namespace {

/// An axis for ops with either trait. Every op without a trait has the value 0.
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

}  // namespace

cpu_planner::cpu_planner(const run_options& options, const topology& machine,
                         const cpu_grant& grant)
    : options_(options), machine_(machine), grant_(grant), max_(max_lanes(machine, grant)) {
  require_bound(options, false, grant);
  for (const count_range& range : options.lanes) add_lanes(range);
  require_pus(options.pus, machine);
  if (!options.pus.empty())
    require_lanes("--cpus", static_cast<unsigned>(options.pus.size()), options, machine, grant);
}

void cpu_planner::add(const offered_op& op, const study_axes& axes) {
  require_bound(options_, axes.pairs, grant_);
  for (const auto& type : wanted_types(op, options_, axes.types)) {
    for (const order o : orders_for(op))
      for (const placement where : wanted_placements(op, options_, axes.placements))
        add_cells(op, axes, type, o, where);
  }
}

void cpu_planner::add_lanes(const count_range& range) {
  const unsigned last = range.named == count_range::symbol::max ? max_ : range.last;
  require_lanes("--threads", last, options_, machine_, grant_);
  for (unsigned n = range.named == count_range::symbol::max ? max_ : range.first; n <= last; ++n)
    add_once(lanes_, n);
}

std::vector<order> cpu_planner::orders_for(const offered_op& op) const {
  const std::vector<order> offered = op.orders();
  const bool has_axis = offered.size() > 1 || offered.front() != order::unordered;
  if (has_axis && !options_.orders.empty()) return options_.orders;
  return {offered.front()};
}

void cpu_planner::add_cells(const offered_op& op, const study_axes& axes,
                            std::optional<value_type> type, enum order o, placement where) {
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

std::vector<unsigned> cpu_planner::numbers_of_lanes(const study_axes& axes,
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

std::vector<affinity> cpu_planner::affinities_of(const offered_op& op, const study_axes& axes,
                                                 const point& p) const {
  if (!p.pus.empty() || op.rows.front()->own_threads) return {affinity::none};
  if (!options_.affinities.empty()) return options_.affinities;
  return grant_.unbound_because.empty() ? axes.affinities : std::vector{affinity::none};
}

void cpu_planner::add_launches(const offered_op& op, const study_axes& axes, const point& p) {
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

void cpu_planner::add_point(const offered_op& op, const point& p, const study_axes& axes) {
  const capability* row = op.row(p);
  if (row == nullptr) return refuse(p, "unsupported", why_not_offered(op, p));
  if (!row->supported) return refuse(p, "unsupported", row->reason);
  if (p.affinity != affinity::none && !grant_.unbound_because.empty())
    return refuse(p, "unsupported", "threads cannot be bound here: " + grant_.unbound_because);
  if (row->own_threads && !p.pus.empty())
    return refuse(p, "unsupported", "starts threads of its own, which nothing binds to CPUs");
  if (p.lanes < row->min_lanes) {
    return refuse(p, "unsupported", fmt::format("needs at least {} threads", row->min_lanes),
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

// Lists a refusal once, at the first point, if cells and lanes do not matter.
void cpu_planner::refuse(const point& p, const std::string& status, const std::string& reason,
                         unsigned lanes) {
  const std::string type = p.type ? std::string(to_text(*p.type)) : "";
  const std::string key =
      fmt::format("{} {} {} {} {} {}", p.backend, p.op, type, to_text(p.order), lanes, reason);
  if (refused_keys_.insert(key).second)
    refused_.push_back({.what = p, .status = status, .reason = reason});
}

// Starts the placement again at the first PU after the last.
std::vector<int> cpu_planner::place(affinity policy, unsigned lanes) const {
  if (policy == affinity::none) return std::vector<int>(lanes, -1);
  const auto units = static_cast<unsigned>(machine_.units().size());
  std::vector<int> pus = machine_.place(policy, std::min(lanes, units));
  for (std::size_t i = 0; pus.size() < lanes; ++i) pus.push_back(pus[i]);
  return pus;
}

}  // namespace syncmeter

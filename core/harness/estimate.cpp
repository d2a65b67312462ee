// See estimate.hpp.
#include "core/harness/estimate.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <tuple>

#include <fmt/format.h>

namespace syncmeter {

namespace {

// A quiet state with fewer rounds cannot give an interval worth the name.
constexpr std::size_t enough_quiet_rounds = 5;

template <class Value> std::vector<double> of_each(std::span<const round> rounds, Value value) {
  std::vector<double> values;
  values.reserve(rounds.size());
  for (const round& r : rounds) values.push_back(std::invoke(value, r));
  return values;
}

state_estimate estimate(const state_rounds& state, const loop_shape& shape, std::size_t kept) {
  const double steps = static_cast<double>(shape.trips) * shape.info.unroll;
  const auto cycles = of_each(state.rounds, [&](const round& r) {
    return cost_per_op_ns(shape.info, shape.lanes, 1, r.cycles[0], r.cycles[1], shape.trips);
  });
  const auto host_costs = of_each(state.rounds, [&](const round& r) {
    return cost_per_op_ns(shape.info, shape.lanes, 1, r.host_ns[0], r.host_ns[1], shape.trips);
  });
  const auto median_step_ns = [&](std::size_t index) {
    return median(of_each(state.rounds, [&](const round& r) { return r.span_ns[index]; })) / steps;
  };
  return {.state_class = state.state_class,
          .busy = state.busy,
          .rounds = state.rounds.size(),
          .share = static_cast<double>(state.rounds.size()) / static_cast<double>(kept),
          .cost_ns = median_interval(costs_ns(state.rounds, shape)),
          .host_cost_ns = median_interval(host_costs),
          .cost_cycles = median_interval(cycles),
          .baseline_ns = median_step_ns(0),
          .test_ns = median_step_ns(1),
          .hop_ns = median(of_each(state.rounds, &round::hop_ns))};
}

std::string list_of_drops(const visit_result& visit) {
  std::string list;
  for (std::size_t kind = 1; kind < drop_kinds; ++kind) {
    if (visit.drops[kind] == 0) continue;
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", to_text(static_cast<drop>(kind)),
                        visit.drops[kind]);
  }
  return list;
}

}  // namespace

double cost_per_op_ns(const op_info& info, unsigned lanes, int count, double baseline_ns,
                      double test_ns, std::uint32_t trips) {
  assert(count > 0 && lanes > 0 && trips > 0);
  const double extra_ns =
      info.pairing == pairing::insert ? test_ns - count * baseline_ns : test_ns - baseline_ns;
  const double ops = static_cast<double>(count) * trips * info.unroll * info.ops_per_step;
  return extra_ns / (info.cost_per_lane ? ops * lanes : ops);
}

std::size_t sort_in(std::vector<state_rounds>& states, const round& kept) {
  auto found = std::find_if(states.begin(), states.end(), [&](const state_rounds& state) {
    return state.state_class == kept.state_class && state.busy == kept.busy;
  });
  if (found == states.end()) {
    found =
        states.insert(found, {.state_class = kept.state_class, .busy = kept.busy, .rounds = {}});
  }
  found->rounds.push_back(kept);
  return static_cast<std::size_t>(found - states.begin());
}

std::size_t headline(std::span<const state_rounds> states) {
  assert(!states.empty());
  const auto rank = [](const state_rounds& state) {
    const bool speaks = !state.busy && state.rounds.size() >= enough_quiet_rounds;
    return std::tuple(speaks, state.rounds.size());
  };
  const auto best =
      std::max_element(states.begin(), states.end(),
                       [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return static_cast<std::size_t>(best - states.begin());
}

std::vector<double> costs_ns(std::span<const round> rounds, const loop_shape& shape,
                             std::size_t index) {
  return of_each(rounds, [&](const round& r) {
    return cost_per_op_ns(shape.info, shape.lanes, counts.at(index), r.span_ns[0], r.span_ns[index],
                          shape.trips);
  });
}

double resolution_ns(const loop_shape& shape, double clock_tick_ns) {
  return cost_per_op_ns(shape.info, shape.lanes, 1, 0, clock_tick_ns, shape.trips);
}

std::vector<state_estimate> estimate_states(std::span<const state_rounds> states,
                                            const loop_shape& shape) {
  std::size_t kept = 0;
  for (const state_rounds& state : states) kept += state.rounds.size();

  std::vector<state_estimate> estimates;
  for (const state_rounds& state : states) estimates.push_back(estimate(state, shape, kept));
  if (estimates.empty()) return estimates;

  const auto first = estimates.begin() + static_cast<std::ptrdiff_t>(headline(states));
  std::rotate(estimates.begin(), first, first + 1);
  std::stable_sort(estimates.begin() + 1, estimates.end(),
                   [](const auto& a, const auto& b) { return a.rounds > b.rounds; });
  return estimates;
}

additivity_check check_additivity(std::span<const round> rounds, const loop_shape& shape,
                                  double clock_tick_ns) {
  const auto one = costs_ns(rounds, shape, 1);
  const auto four = costs_ns(rounds, shape, 3);
  std::vector<double> difference(one.size());
  std::transform(four.begin(), four.end(), one.begin(), difference.begin(), std::minus{});
  const interval apart = median_interval(difference);

  additivity_check check{
      .cost_ns = {median(one), median(costs_ns(rounds, shape, 2)), median(four)}};
  const double matters =
      std::max(0.05 * std::abs(check.cost_ns[0]), resolution_ns(shape, clock_tick_ns));
  const bool excludes_zero = apart.low > 0 || apart.high < 0;
  check.additive = !(excludes_zero && std::abs(apart.value) > matters);
  return check;
}

// The order is from what spoils most to what spoils least. Too many drops: even the kept rounds are
// a selection. An interval that holds 0 or lies below it: there is no cost to show, whatever the
// reason, so that comes before busy, where there is a cost, but one of a disturbed machine.
visit_verdict judge(const visit_result& visit, const loop_shape& shape, double clock_tick_ns) {
  std::size_t dropped = 0;
  for (const std::size_t kind : visit.drops) dropped += kind;
  if (2 * dropped > visit.rounds_taken) {
    return {status::noisy, fmt::format("{} of {} sample pairs were dropped ({})", dropped,
                                       visit.rounds_taken, list_of_drops(visit))};
  }
  assert(!visit.estimates.empty());
  const state_estimate& first = visit.estimates.front();
  const interval& cost = first.cost_ns;
  if (cost.low <= 0 && cost.high >= 0) {
    const double bound = std::max(cost.high, resolution_ns(shape, clock_tick_ns));
    return {status::not_resolved,
            fmt::format("the interval holds 0: at most {:.3g} ns per operation", bound)};
  }
  if (cost.high < 0) {
    return {status::interferes,
            fmt::format(
                "the loop with the operation is faster than the baseline by {:.3g} to {:.3g} ns "
                "per operation: the operation changes the cost of the rest of the loop",
                -cost.high, -cost.low)};
  }
  if (first.busy) {
    return {status::busy,
            fmt::format(
                "the estimate is from {} sample pairs in which a thread was slowed down (busy SMT "
                "sibling or preemption); fewer than {} sample pairs were quiet",
                first.rounds, enough_quiet_rounds)};
  }
  return {};
}

}  // namespace syncmeter

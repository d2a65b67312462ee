// From the rounds of a visit to estimates per state, the headline among them, and the status.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/harness/harness.hpp"

namespace syncmeter {

/// What turns the spans of a visit into the cost of one op: the same for all its rounds.
struct loop_shape {
  op_info info;
  unsigned lanes = 1;
  std::uint32_t trips = 1;
};

/// The kept rounds of one state: placement state x quiet or busy.
struct state_rounds {
  unsigned state_class = 0;
  bool busy = false;
  std::vector<round> rounds;
  std::size_t look = early_look;  ///< the number of rounds at which the stop rule looks next
};

/// Adds a round to its state, a new one if need be. Returns the state's position.
std::size_t sort_in(std::vector<state_rounds>& states, const round& kept);

/// Position of the state that a visit speaks for: among the quiet states with at least 5 rounds the
/// one with most; when there is none, the state with most rounds. `states` is not empty.
[[nodiscard]] std::size_t headline(std::span<const state_rounds> states);

/// Cost per op at counts[index] by each round's paired difference; index is 1, 2 or 3.
[[nodiscard]] std::vector<double> costs_ns(std::span<const round> rounds, const loop_shape& shape,
                                           std::size_t index = 1);

/// One clock tick spread over the ops of one sample: differences below it cannot be distinguished
/// from none.
[[nodiscard]] double resolution_ns(const loop_shape& shape, double clock_tick_ns);

/// One estimate for each state, the headline first, then by rounds.
[[nodiscard]] std::vector<state_estimate> estimate_states(std::span<const state_rounds> states,
                                                          const loop_shape& shape);

/// Costs at 1, 2 and 4 measured ops, and whether they agree.
struct additivity_check {
  bool additive = true;
  std::array<double, 3> cost_ns{};  ///< medians of cost per op
};
/// Not additive when the interval of cost(4) - cost(1) per op over rounds excludes 0, and their
/// difference matters: it is more than 5 % of cost(1), and more than the clock resolves.
[[nodiscard]] additivity_check check_additivity(std::span<const round> rounds,
                                                const loop_shape& shape, double clock_tick_ns);

struct visit_verdict {
  enum status status = status::ok;
  std::string reason;
};
/// The status of a visit whose rounds, at least one, are done. `shape` and `clock_tick_ns` serve
/// the upper bound of a cost that is not resolved.
[[nodiscard]] visit_verdict judge(const visit_result& visit, const loop_shape& shape,
                                  double clock_tick_ns);

}  // namespace syncmeter

// What one visit found, by placement state: what comparisons within a state are made of.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/state_classes.hpp"
#include "core/stats.hpp"

namespace syncmeter {

struct cost_in_state {
  double ns = 0;
  std::size_t rounds = 0;
};

/// By placement state, and whether the lanes were busy.
using costs_by_state = std::map<std::pair<unsigned, bool>, cost_in_state>;

/// A visit's positive costs; of several estimates in one class the one with most rounds.
[[nodiscard]] costs_by_state costs_of(const nlohmann::json& visit, unsigned lanes,
                                      const state_classes& classes);

/// By the visit's number.
using costs_by_visit = std::map<unsigned, costs_by_state>;

/// One cost over another: the median over the visits that both have, with Student's t over their
/// logarithms, each in a placement state that both saw; infinite bounds where one visit is all.
/// `visits` becomes their number; where that is 0 there is no ratio.
[[nodiscard]] interval ratio_over_visits(const costs_by_visit& upper, const costs_by_visit& lower,
                                         std::size_t& visits);

}  // namespace syncmeter

// What one visit found, by placement state: what comparisons within a state are made of.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "cli/state_classes.hpp"

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

}  // namespace syncmeter

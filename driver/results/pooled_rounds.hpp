// The rounds of several visits as one sample: what a GPU's point gets where its visits agree.
#pragma once

#include <optional>
#include <span>

#include <nlohmann/json_fwd.hpp>

#include "core/harness/stats.hpp"

namespace syncmeter {

/// The exact order-statistic interval of the median cost in ns over the raw rounds of all visits,
/// and no narrower than their medians are apart. Nothing where the visits do not agree (their own
/// intervals have no point in common), where one of them holds no raw rounds or no estimate, or
/// where there is one only. `workers_of_op` divides a cost that passes from lane to lane: how many
/// take part.
[[nodiscard]] std::optional<interval> pooled_interval(std::span<const nlohmann::json* const> visits,
                                                      unsigned workers_of_op);

/// An interval in another unit.
[[nodiscard]] inline interval scaled(const interval& i, double by) {
  return {i.value * by, i.low * by, i.high * by};
}

/// Cost per op in ns of each round that a visit line keeps, `workers_of_op` as above; empty where
/// it keeps none.
[[nodiscard]] std::vector<double> round_costs_ns(const nlohmann::json& visit,
                                                 unsigned workers_of_op);

}  // namespace syncmeter

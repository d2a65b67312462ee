// How figures are written: times in ns, rates with an engineering prefix, and what an estimate
// means in each unit. A negative cost is never written.
#pragma once

#include <optional>
#include <string>

#include "driver/results/estimate.hpp"

namespace syncmeter {

/// Whether the cost is a number to show: an estimate exists, its interval is above 0, and no status
/// stands against it.
[[nodiscard]] bool has_cost(const point_summary& s);
/// Whether an estimate exists of which at least an upper bound can be shown.
[[nodiscard]] bool has_upper_bound(const point_summary& s);

/// Whether that cost is counted in cycles too.
[[nodiscard]] bool has_cycles(const point_summary& s);

/// ns with four significant digits, fewer below 1: "0.1043", "2.318", "45700", "2.3e-05".
[[nodiscard]] std::string nanoseconds(double ns);
/// The same with a unit where that is shorter: "45.7 us", "4.50 ms".
[[nodiscard]] std::string duration(double ns);
/// How far an interval reaches from its value, in % of that: "3.1 %"; "unknown" without bounds.
[[nodiscard]] std::string reach(const interval& cost);
/// An upper bound in ns, rounded up, so that it stays one and is never a bare zero.
[[nodiscard]] std::string upper_bound_ns(double ns);
/// "431 M", "22.1 k", "3.2".
[[nodiscard]] std::string engineering(double value);

/// Ops per second of one lane, and of all lanes together; nothing where the cost is marginal (a
/// fence between accesses) or not known.
struct rates {
  double per_lane = 0, total = 0;
};
[[nodiscard]] std::optional<rates> rates_of(const point_summary& s);

}  // namespace syncmeter

// How figures are written.
#include "driver/show/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "driver/workers/worker_info.hpp"

namespace syncmeter {

bool has_cost(const point_summary& s) {
  const bool usable =
      s.status == status::ok || s.status == status::busy || s.status == status::noisy;
  return usable && s.visits != 0 && s.cost_ns.value > 0 && s.resolved &&
         (s.cost_ns.low > 0 || !std::isfinite(s.cost_ns.low));
}

bool has_upper_bound(const point_summary& s) {
  const bool usable = s.status == status::not_resolved || s.status == status::noisy;
  return usable && s.visits != 0 && s.cost_ns.low <= 0 && s.cost_ns.high > 0 &&
         std::isfinite(s.cost_ns.high);
}

std::string nanoseconds(double ns) {
  if (!std::isfinite(ns)) return "unknown";
  const double size = std::abs(ns);
  if (size >= 999.95) return fmt::format("{:.0f}", ns);
  if (size >= 99.995) return fmt::format("{:.1f}", ns);
  if (size >= 9.9995) return fmt::format("{:.2f}", ns);
  if (size >= 0.99995) return fmt::format("{:.3f}", ns);
  if (size >= 0.00095 || size == 0) return fmt::format("{:.4f}", ns);
  return fmt::format("{:.1e}", ns);
}

std::string duration(double ns) {
  constexpr double us = 1e3, ms = 1e6, s = 1e9;
  if (!std::isfinite(ns) || std::abs(ns) < 9999.5) return nanoseconds(ns);
  if (std::abs(ns) < 999.5 * us) return fmt::format("{:.3g} us", ns / us);
  if (std::abs(ns) < 999.5 * ms) return fmt::format("{:.3g} ms", ns / ms);
  return fmt::format("{:.3g} s", ns / s);
}

std::string reach(const interval& cost) {
  if (!std::isfinite(cost.low) || !std::isfinite(cost.high) || !(cost.value > 0)) return "unknown";
  const double percent = 100 * std::max(cost.high - cost.value, cost.value - cost.low) / cost.value;
  return percent < 9.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string upper_bound_ns(double ns) {
  constexpr double smallest = 1e-4;
  return ns < 1 ? fmt::format("{:.4f}", std::ceil(ns / smallest) * smallest)
                : nanoseconds(ns * 1.0005);
}

std::string engineering(double value) {
  constexpr std::array<const char*, 5> prefixes{"", " k", " M", " G", " T"};
  std::size_t step = 0;
  // 999.5 would be written as 1e+03.
  while (value >= 999.5 && step + 1 < prefixes.size()) {
    value /= 1000;
    ++step;
  }
  if (value >= 999.5) return fmt::format("{:.3g}{}", value, prefixes[step]);
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, decimals, prefixes[step]);
}

bool has_cycles(const point_summary& s) { return has_cost(s) && s.cost_cycles.value > 0; }

namespace {

// How many of an op are done at a time: one for each lane, or for each block, cluster or grid whose
// lanes do it together.
double concurrent_ops(const point_summary& s, const op_facts& facts) {
  if (facts.host_lane || facts.family == "launch") return 1;
  // Of groups of a size the lanes are counted, as those of the other words of a warp.
  const bool joint = facts.joint && !(facts.family == "group" && s.what.size != 0);
  if (!joint) {
    const double active = s.what.active != 0 ? s.what.active / 32.0 : 1;
    return active * s.what.lanes * s.what.blocks * facts.devices;
  }
  if (facts.launching == "cooperative") return 1;
  if (facts.launching == "cluster") return s.what.blocks / std::max(1.0, double(s.what.size));
  return s.what.blocks;
}

}  // namespace

std::optional<rates> rates_of(const point_summary& s) {
  const op_facts facts = facts_of(s);
  if (!has_cost(s) || facts.inserted) return std::nullopt;
  const double ops_per_s = 1e9 / s.cost_ns.value;
  // A handoff costs the time of one hop, and only one lane at a time has the token: on a GPU one
  // lane of each warp.
  if (facts.cost_per_lane) {
    const unsigned lanes = facts.participants != 0 ? facts.participants
                           : s.device              ? warps_of(s.what)
                                                   : s.what.lanes;
    return rates{ops_per_s / lanes, ops_per_s};
  }
  return rates{ops_per_s, ops_per_s * concurrent_ops(s, facts)};
}

}  // namespace syncmeter

// Facts about an op for tables and rates. Visits report them for their op. Otherwise the driver
// knows the shared ops.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace syncmeter {

struct op_facts {
  std::string family = "other";
  /// Place among the shared ops in tables. Other ops follow.
  std::size_t rank = std::numeric_limits<std::size_t>::max();
  bool inserted = false;       ///< a marginal cost between two accesses, never the op's own
  bool cost_per_lane = false;  ///< an op passes from lane to lane: lanes do not work in parallel
  bool joint = false;          ///< all lanes do one op together (a barrier, a launch)
  bool host_lane = false;      ///< a host thread does the op, whatever the thread starts
  /// GPU: "cooperative", "cluster" or empty: the lanes that do a joint op together.
  std::string launching{};
  unsigned participants = 0;  ///< divisor of a cost per lane; 0: unknown
  unsigned devices = 1;       ///< devices that do the op at a time
};

/// Returns facts for a shared op, and defaults for an op from a third party's worker.
[[nodiscard]] op_facts facts_of(std::string_view op);

/// Returns facts for an op that its worker describes.
[[nodiscard]] op_facts facts_of(std::string_view op, std::string_view family, bool inserted,
                                bool cost_per_lane);

/// Returns a family's place in tables.
[[nodiscard]] std::size_t family_rank(std::string_view family);

}  // namespace syncmeter

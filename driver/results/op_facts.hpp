// What an op is, for tables and rates: visits report it of their op; for those that do not, the
// driver knows the shared ops.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace syncmeter {

struct op_facts {
  std::string family = "other";
  /// Place among the shared ops in tables; an op that is none of them comes after them.
  std::size_t rank = std::numeric_limits<std::size_t>::max();
  bool inserted = false;       ///< a marginal cost between two accesses, never the op's own
  bool cost_per_lane = false;  ///< one op passes from lane to lane: they do not work side by side
  bool joint = false;          ///< all lanes do one op together (a barrier, a launch)
  bool host_lane = false;      ///< one thread of the host does it, whatever it starts
  /// GPU: "cooperative", "cluster" or empty: whose lanes do a joint op together.
  std::string launching{};
  unsigned participants = 0;  ///< what a cost per lane was divided by; 0: the visit does not say
  unsigned devices = 1;       ///< that do it at a time
};

/// Of a shared op. One of a third party's worker is not among them and gets the plain treatment.
[[nodiscard]] op_facts facts_of(std::string_view op);

/// Of an op whose worker says what it is.
[[nodiscard]] op_facts facts_of(std::string_view op, std::string_view family, bool inserted,
                                bool cost_per_lane);

/// Place of a family in tables.
[[nodiscard]] std::size_t family_rank(std::string_view family);

}  // namespace syncmeter

// What the driver knows of the shared ops without asking a worker: where a table puts them and how
// their cost reads. An op of a third party's worker is not in it and gets the plain treatment.
#pragma once

#include <string>
#include <string_view>

namespace syncmeter {

struct op_facts {
  std::string_view family = "other";
  std::size_t rank = 0;        ///< place in tables, all families and ops in their own order
  bool inserted = false;       ///< a marginal cost between two accesses, never the op's own
  bool cost_per_lane = false;  ///< one op passes from lane to lane: they do not work side by side
  bool joint = false;          ///< all lanes do one op together (a barrier)
};

[[nodiscard]] op_facts facts_of(std::string_view op);

}  // namespace syncmeter

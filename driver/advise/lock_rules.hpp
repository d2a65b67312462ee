// What may be gained where threads take locks: ranges and bounds, as no price is that of another
// lock in this program.
#pragma once

#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// In the order of the sites.
[[nodiscard]] std::vector<advice> advise_on_locks(const std::vector<site>& sites,
                                                  const advice_setting& setting);

}  // namespace syncmeter

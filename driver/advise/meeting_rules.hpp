// What may be gained where threads meet, at the end of a region or at a barrier: balance, awake
// threads, fewer meetings; estimates by the price of one, else bounds.
#pragma once

#include <string>
#include <vector>

#include "driver/advise/rules.hpp"
#include "driver/advise/site_costs.hpp"

namespace syncmeter {

/// At regions and barriers. Adds a sentence to `notes` for each site that takes long by what
/// disturbs this machine.
[[nodiscard]] std::vector<advice> advise_on_meetings(const std::vector<site>& sites,
                                                     const advice_setting& setting,
                                                     const meeting_pace& pace,
                                                     std::vector<std::string>& notes);

}  // namespace syncmeter

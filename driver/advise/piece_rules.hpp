// What may be gained where threads fetch chunks of a loop or make tasks one at a time, which are
// short beside what that takes: estimates by its price, else bounds.
#pragma once

#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// At chunks and tasks.
[[nodiscard]] std::vector<advice> advise_on_pieces(const std::vector<site>& sites,
                                                   const advice_setting& setting,
                                                   const meeting_pace& pace);

}  // namespace syncmeter

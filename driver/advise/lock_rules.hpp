// Causes of locks that the driver still judges: spinning threads without CPUs, readers, and locks
// in one cache line. The package concludes contended locks and work under a lock.
#pragma once

#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// In the order of the sites.
[[nodiscard]] std::vector<advice> advise_on_locks(const std::vector<site>& sites,
                                                  const advice_setting& setting);

}  // namespace syncmeter

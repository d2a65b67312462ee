// What may be gained where a program has a GPU wait for the host: launches one by one, and calls
// that wait for the GPU before the next launch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// Whether the GPU is idle, before many launches, for a share of the time that is worth advice.
[[nodiscard]] bool waits_for_host(const std::vector<site>& sites, double wall_s);

/// At most one for a program: what the GPU does not do is idle time once, whatever it waits for.
/// Adds a sentence to `notes` where a GPU is hardly idle.
[[nodiscard]] std::vector<advice> advise_on_cuda(const std::vector<site>& sites,
                                                 const advice_setting& setting,
                                                 std::vector<std::string>& notes);

/// Where the GPU is idle in a run of so many seconds and no rule knows why: for how long, as a
/// clause. Empty where it is hardly idle, or for no longer than a stream takes from one kernel to
/// the next.
[[nodiscard]] std::string idle_gpu_text(const std::vector<site>& sites,
                                        const std::vector<price>& prices, double wall_s);

}  // namespace syncmeter

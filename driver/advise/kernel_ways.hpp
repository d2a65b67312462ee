// Other ways to do the updates of a kernel, and what they would take on this GPU: by what a run
// with patched kernels counted, and by the costs of the study `accumulate`.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/harness/stats.hpp"
#include "driver/advise/kernel_counts.hpp"
#include "driver/advise/prices.hpp"

namespace syncmeter {

/// A way to do the same updates.
struct way_to_update {
  std::string_view name;    ///< warp, block, or both
  std::string_view change;  ///< a sentence
  interval takes_s;
};

/// The fastest other way that has a price and that the kernel's addresses allow; nothing without
/// one, and for what is no add.
[[nodiscard]] std::optional<way_to_update> fastest_way(const kernel_use& kernel,
                                                       const std::vector<price>& prices);

}  // namespace syncmeter

// The one reader of JSON that somebody else wrote: a results file, a worker, a driver.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace syncmeter {

/// Deeper nesting is refused: whatever walks through it calls itself once for each level.
inline constexpr unsigned deepest_json = 64;

/// The value of a text; discarded where it is not JSON, or is nested too deeply.
[[nodiscard]] nlohmann::json read_json(std::string_view text);

}  // namespace syncmeter

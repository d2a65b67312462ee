// What changed between two arms, for people and for tools.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "driver/results/arm_changes.hpp"
#include "driver/text/columns.hpp"

namespace syncmeter {

[[nodiscard]] std::string ab_text(const arm_comparison& comparison, page_style style = {});
[[nodiscard]] std::string ab_markdown(const arm_comparison& comparison);
[[nodiscard]] nlohmann::json ab_json(const arm_comparison& comparison);

}  // namespace syncmeter

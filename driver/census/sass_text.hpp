// The text of one instruction of a GPU, as cuobjdump and nvdisasm print it.
#pragma once

#include <optional>
#include <string_view>

#include "driver/census/disassembly.hpp"

namespace syncmeter {

/// 90 of "sm_90a": sm_90 stands before sm_100. 0 where there is no number.
[[nodiscard]] int architecture_number(std::string_view architecture);

/// The instruction on one line; nothing for every other line, such as the second half of an
/// encoding. `prefixes` is its predicate ("@!P0"), `target_address` is set for all that name a
/// place in the code: BSSY too, which does not go to the one where lanes meet again.
[[nodiscard]] std::optional<instruction> parse_sass_instruction(std::string_view line);

}  // namespace syncmeter

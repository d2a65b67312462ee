// The timed loop inside one GPU kernel.
#pragma once

#include <span>

#include "driver/census/loop_code.hpp"

namespace syncmeter {

/// Finds the loop as the one set of instructions that lie on a cycle of the control flow and stand,
/// at least one of them, between the first and the last reading of the clock: a kernel has other
/// loops, such as the gate before the clock. Everything else in the kernel is `outside`.
/// Problems: fewer than two readings of the clock, no loop or more than one between them, an
/// indirect jump, or a jump out of the loop to another function.
[[nodiscard]] loop_code read_timed_loop(std::span<const instruction> kernel,
                                        bool with_lines = false);

}  // namespace syncmeter

// The instructions of a program's GPU kernels. A worker has some two million of them, which are a
// hundred thousand different ones at most: those alone are disassembled (40 s became 3).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "driver/census/disassembly.hpp"
#include "driver/census/kernel_names.hpp"

namespace syncmeter {

/// Called once for each function: "sm_90", the name that it was asked for by, and its instructions
/// by address.
using sass_sink = std::function<void(std::string_view architecture, std::string_view function,
                                     std::span<const instruction>)>;

/// Hands over the kernels of a program, or of a cubin, that `names` asks for. Throws
/// disassembly_error: a program of the CUDA toolkit is missing, or failed; machine code older than
/// sm_70, whose instructions do not stand alone.
void read_sass(const std::string& path, const kernel_names& names, const sass_sink& sink);

}  // namespace syncmeter

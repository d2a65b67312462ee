// Finds the PTX that g++ offloading embeds in a program: a text module for each object file. CUDA's
// driver compiles modules when the program starts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/census/tools/cuda_tools.hpp"

namespace syncmeter {

/// Returns the modules in a program's bytes that define a function in `names` (linker names).
[[nodiscard]] std::vector<std::string> ptx_modules(std::string_view program,
                                                   const kernel_names& names);
/// Reads the program's file and does the same. Skips the file if `names` is empty, because kernel
/// libraries have a GB. Throws disassembly_error.
[[nodiscard]] std::vector<std::string> ptx_modules_of(const std::string& program,
                                                      const kernel_names& names);

}  // namespace syncmeter

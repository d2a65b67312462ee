// The PTX that g++'s offloading leaves in a program: text, a module for each object file, which
// CUDA's driver compiles when the program starts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/census/tools/cuda_tools.hpp"

namespace syncmeter {

/// The modules in a program's bytes that define one of these functions, which are linkers' names.
[[nodiscard]] std::vector<std::string> ptx_modules(std::string_view program,
                                                   const kernel_names& names);
/// Of its file, which is read only where there are names: libraries of kernels have a GB. Throws
/// disassembly_error.
[[nodiscard]] std::vector<std::string> ptx_modules_of(const std::string& program,
                                                      const kernel_names& names);

}  // namespace syncmeter

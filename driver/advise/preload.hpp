// Libraries that a program is started with: those that come with this one, before the user's own.
#pragma once

#include <string>

namespace syncmeter {

/// The path of a library beside the driver, in its folder of workers or on PATH; empty where there
/// is none.
[[nodiscard]] std::string find_own_library(const std::string& name);

/// Throws std::runtime_error where one of them has another layout than the driver: what one of them
/// writes, the other may misread.
void require_libraries_of_this_layout();

/// LD_PRELOAD with this library, and behind it what the environment preloads already.
[[nodiscard]] std::string preload_setting(const std::string& library);

}  // namespace syncmeter

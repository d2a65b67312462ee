// Where this program looks for the programs that belong to it: workers and the report.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace syncmeter {

/// A worker is a program of this name and its own.
inline constexpr std::string_view worker_prefix = "syncmeter-";

/// The folder of this program; empty where the system does not tell it.
[[nodiscard]] std::filesystem::path own_folder();

/// The absolute folders of PATH, in order. A relative entry would make what is found depend on
/// where the driver is called.
[[nodiscard]] std::vector<std::filesystem::path> folders_on_path();

/// Where the workers are that belong to this program: beside it, and the folder of an installation,
/// which moves with it. Empty where the system does not tell where this program is.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_own_workers();

/// Where workers are looked for: this program's own folders of them, then PATH.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_workers();

}  // namespace syncmeter

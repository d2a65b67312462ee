// Where this program looks for the programs that belong to it: workers and the report.
#pragma once

#include <filesystem>
#include <vector>

namespace syncmeter {

/// The folder of this program; empty where the system does not tell it.
[[nodiscard]] std::filesystem::path own_folder();

/// The absolute folders of PATH, in order. A relative entry would make what is found depend on
/// where the driver is called.
[[nodiscard]] std::vector<std::filesystem::path> folders_on_path();

}  // namespace syncmeter

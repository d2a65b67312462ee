// The program that relates points to each other, syncmeter-report: found, and called for the
// sections of a results file that stand below the table of its points.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

namespace syncmeter {

/// Beside this program, where every build puts a launcher of it (cmake/report.cmake), else on PATH.
[[nodiscard]] std::optional<std::filesystem::path> find_report(const std::filesystem::path& beside);

/// `PROGRAM text FILE` on the same stream as what was printed before. Empty, or one sentence on why
/// there is no text: it cannot be started, it failed, or it was stopped after `at_most`.
[[nodiscard]] std::string print_report(const std::filesystem::path& program,
                                       const std::string& file, std::FILE* out,
                                       std::chrono::milliseconds at_most = std::chrono::minutes(1));

/// Both, for `run` and `show`; without them one sentence on `out` that says how to get the program,
/// or on standard error what became of it. SYNCMETER_REPORT names the program, or is "off". Never
/// an error of the caller.
void add_report(const std::string& file, std::FILE* out);

}  // namespace syncmeter

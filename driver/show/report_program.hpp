// Finds and calls syncmeter-report, the program that compares points, for the sections above a
// results file's table of points.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace syncmeter {

/// Looks for a build's launcher (cmake/report.cmake) beside this program, else on PATH.
[[nodiscard]] std::optional<std::filesystem::path> find_report(const std::filesystem::path& beside);

/// A request for a results file's report. `wide` ignores the terminal's width. `point` asks for the
/// claims that use the point with this canonical text, instead of the sections.
struct report_request {
  std::string file;
  bool wide = false;
  std::string point{};
};

/// Runs `PROGRAM text FILE` (or `PROGRAM claims FILE --point POINT`) on the stream of the earlier
/// output. Returns an empty string, or a sentence on why there is no text: the program cannot
/// start, failed, or was stopped after `at_most`.
[[nodiscard]] std::string print_report(const std::filesystem::path& program,
                                       const report_request& asked, std::FILE* out,
                                       std::chrono::milliseconds at_most = std::chrono::minutes(1));

/// For `run` and `show`: prints the answers, findings and tables of the studies, and an empty line.
/// Returns whether there are any. Standard error has the reason if the program failed.
/// SYNCMETER_REPORT names the program, or is "off". Never fails the caller.
[[nodiscard]] bool print_sections(const report_request& asked, std::FILE* out);
/// Prints the place of the results and, after sections, the command for their page. Without the
/// program, prints how to get it.
void print_places(const report_request& asked, bool has_sections, std::FILE* out);

/// For `ab`: runs `PROGRAM compare FILE OPTIONS` on `out`, and returns its exit status. If the
/// program cannot run, prints a sentence on standard error and returns 2. With `keeps_file`, the
/// sentence also names the command to judge the file elsewhere.
[[nodiscard]] int add_comparison(const std::string& file, const std::vector<std::string>& options,
                                 bool keeps_file, std::FILE* out);

/// The end of a program: the exit status, or the reason for its lack.
struct report_end {
  std::optional<int> status{};
  std::string problem{};
};

/// For `advise`: runs `PROGRAM advise FILE OPTIONS` on standard error. Statuses of the gate
/// (--fail-above) count as an end without a problem only if `has_gate`.
[[nodiscard]] report_end add_conclusions(const std::string& file,
                                         const std::vector<std::string>& options, bool has_gate);

/// Replaces this program by `PROGRAM WORDS`. If PROGRAM cannot run, prints the reason and returns
/// 2.
[[nodiscard]] int become_report(const std::vector<std::string>& words);

/// For `explain`: prints the claims that use a point. Prints nothing without a program, or if
/// SYNCMETER_REPORT is "off".
void add_claims(const report_request& asked, std::FILE* out);

}  // namespace syncmeter

// The program that relates points to each other, syncmeter-report: found, and called for the
// sections of a results file that stand above the table of its points.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace syncmeter {

/// Beside this program, where every build puts a launcher of it (cmake/report.cmake), else on PATH.
[[nodiscard]] std::optional<std::filesystem::path> find_report(const std::filesystem::path& beside);

/// Of which results file; `wide`: whatever the width of the terminal. `point`: in place of the
/// sections the claims that use this point, by its canonical text.
struct report_request {
  std::string file;
  bool wide = false;
  std::string point{};
};

/// `PROGRAM text FILE` (or `PROGRAM claims FILE --point POINT`) on the same stream as what was
/// printed before. Empty, or one sentence on why there is no text: it cannot be started, it failed,
/// or it was stopped after `at_most`.
[[nodiscard]] std::string print_report(const std::filesystem::path& program,
                                       const report_request& asked, std::FILE* out,
                                       std::chrono::milliseconds at_most = std::chrono::minutes(1));

/// For `run` and `show`: the answers, findings and tables of the studies, and an empty line.
/// Whether there are any; standard error has why the program failed. SYNCMETER_REPORT names the
/// program, or is "off". Never an error of the caller.
[[nodiscard]] bool print_sections(const report_request& asked, std::FILE* out);
/// Where the results are and, where there were sections, the command for their page. Without the
/// program one sentence says how to get it.
void print_places(const report_request& asked, bool has_sections, std::FILE* out);

/// For `ab`: `PROGRAM compare FILE OPTIONS` on `out`, and its exit status. Where the program cannot
/// run, one sentence on standard error says so (and, with `keeps_file`, which command judges the
/// file elsewhere), and the status is 2.
[[nodiscard]] int add_comparison(const std::string& file, const std::vector<std::string>& options,
                                 bool keeps_file, std::FILE* out);

/// How a program ended: its exit status, or why it has none.
struct report_end {
  std::optional<int> status{};
  std::string problem{};
};

/// For `advise`: `PROGRAM advise FILE OPTIONS` on standard error. Statuses of the gate
/// (--fail-above) count as an end without a problem only if `has_gate`.
[[nodiscard]] report_end add_conclusions(const std::string& file,
                                         const std::vector<std::string>& options, bool has_gate);

/// Replaces this program by `PROGRAM WORDS`. If PROGRAM cannot run, prints the reason and
/// returns 2.
[[nodiscard]] int become_report(const std::vector<std::string>& words);

/// For `explain`: the claims that use a point. Nothing where there is no program, or
/// SYNCMETER_REPORT is "off".
void add_claims(const report_request& asked, std::FILE* out);

}  // namespace syncmeter

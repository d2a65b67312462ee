// The sub-commands: the one table that the driver's --help, the completion of shells and the manual
// page are made from.
#pragma once

#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

struct command {
  std::string name;
  std::string purpose;  ///< in half a line
  std::vector<option_row> options;
  /// `program` is how the driver was called, `arguments` what stands behind the name. Returns the
  /// exit status; throws usage_error.
  std::function<int(const std::string& program, const std::vector<std::string>& arguments,
                    std::FILE* out)>
      run;
  std::string word{};                ///< what it takes beside options: "FILE"; empty: nothing
  std::vector<std::string> words{};  ///< what that can be, where it is no file
  std::string notes{};               ///< more on it, in the manual page
};

// A command prints to `out` and returns the exit status; `arguments` are those after its name. It
// throws usage_error. Its rows are for the completion of shells and the manual page.

// `syncmeter run`: plan, measure, show.
/// `program` stands first in the argv that the results file records. Returns the exit status: 1
/// when a point failed.
int run_command(const std::string& program, const std::vector<std::string>& arguments,
                std::FILE* out);

// `syncmeter list`: ops x backends, and why what is missing is missing.
/// What these workers can measure, then what they cannot and why, then workers that cannot be used
/// and what to install: in 80 columns, or `wide` with a row for each op of each backend.
[[nodiscard]] std::string list_text(const std::vector<worker_info>& workers, bool wide);
int list_command(const std::vector<std::string>& arguments, std::FILE* out);
[[nodiscard]] std::vector<option_row> list_rows();

// `syncmeter topology`: this machine, what of it may be used, and where each policy puts the lanes.
/// Prints the command's text to `out` and returns the exit status, 0. `arguments` are those after
/// the word `topology`; `--help` lists them. Throws usage_error for an argument that is not known,
/// and for a file or description that hwloc cannot read.
[[nodiscard]] int topology_command(const std::vector<std::string>& arguments, std::FILE* out);
[[nodiscard]] std::vector<option_row> topology_rows();
/// PU numbers in the order given; three or more in a row as "a-b", four or more with the same step
/// s between them as "a-b:s": {0, 1, 2, 8, 10, 12, 14, 5} is "0-2 8-14:2 5".
[[nodiscard]] std::string pus_text(std::span<const int> pus);

// What the tables of options are printed as beside --help: scripts that complete words in a shell
// (`syncmeter completion`), and the manual page (`syncmeter manual`).
/// bash, zsh, fish.
[[nodiscard]] const std::vector<std::string>& shells();
/// Prints the script to `out`. Throws usage_error.
int completion_command(const std::vector<std::string>& arguments, std::FILE* out);
/// The command's options, and how a script is installed.
[[nodiscard]] std::vector<option_row> completion_rows();
[[nodiscard]] std::string completion_notes();
/// Prints the page to `out`. Throws usage_error.
int manual_command(const std::vector<std::string>& arguments, std::FILE* out);
[[nodiscard]] std::vector<option_row> manual_rows();

/// In the order of --help.
[[nodiscard]] const std::vector<command>& commands();

/// What the driver does, in half a line.
inline constexpr const char* program_purpose =
    "measures what synchronization primitives cost on this machine";

}  // namespace syncmeter

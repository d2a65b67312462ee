// The sub-commands: a single table for the driver's --help, shell completion and the manual page,
// and functions that commands share.
#pragma once

#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "driver/plan/options.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/output_file.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

struct command {
  std::string name;
  std::string purpose;  ///< in half a line
  std::vector<option_row> options;
  /// Runs the command. `program` is how the driver was called, `arguments` follow the name, and
  /// `out` receives the output. Returns the exit status; throws usage_error.
  std::function<int(const std::string& program, const std::vector<std::string>& arguments,
                    std::FILE* out)>
      run;
  std::string word{};                ///< argument beside options: "FILE"; empty: nothing
  std::vector<std::string> words{};  ///< allowed values, if it is no file
  std::string notes{};               ///< more text for the manual page
};

/// Returns the commands in the order of --help.
[[nodiscard]] const std::vector<command>& commands();

// Return rows. Each command's file defines its row.
[[nodiscard]] command run_row();
[[nodiscard]] command ab_row();
[[nodiscard]] command advise_row();
[[nodiscard]] command list_row();
[[nodiscard]] command topology_row();
[[nodiscard]] command show_row();
[[nodiscard]] command explain_row();
[[nodiscard]] command census_row();
[[nodiscard]] command check_worker_row();
[[nodiscard]] command completion_row();
[[nodiscard]] command manual_row();
/// Returns the commands that syncmeter-report runs.
[[nodiscard]] std::vector<command> report_rows();

/// Adapts a command that need not know how the driver was called.
[[nodiscard]] inline auto alone(int (*command)(const std::vector<std::string>&, std::FILE*)) {
  return [command](const std::string&, const std::vector<std::string>& arguments, std::FILE* out) {
    return command(arguments, out);
  };
}

/// Returns the option rows of a request that nobody reads, for a command's row.
template <class Request>
[[nodiscard]] std::vector<option_row> unread_rows(std::vector<option_row> (*rows_of)(Request&)) {
  static Request unread{};
  return rows_of(unread);
}

/// Returns the row of a command without other options.
[[nodiscard]] inline std::vector<option_row> help_alone(bool& help) { return {help_row(help)}; }

/// The driver's purpose, in half a line.
inline constexpr const char* program_purpose =
    "measures what synchronization primitives cost on this machine";

/// Prints packages, caches, cores, the usable part of the machine, and each policy's places for
/// lanes. Throws usage_error, also for a file or description that hwloc cannot read.
[[nodiscard]] int topology_command(const std::vector<std::string>& arguments, std::FILE* out);
/// Returns PU numbers in the order given: three or more in a row as "a-b", four or more with the
/// same step s as "a-b:s". {0, 1, 2, 8, 10, 12, 14, 5} is "0-2 8-14:2 5".
[[nodiscard]] std::string pus_text(std::span<const int> pus);

/// The printed part of a results file, and its form.
struct show_view {
  std::optional<std::string> csv{};
  bool force = false;              ///< csv may replace a file
  std::vector<std::string> ops{};  ///< patterns; empty: every op
  std::vector<value_type> types{};
  std::vector<count_range> lanes{};
  std::string sort = "family";  ///< "family" or "cost": the lowest cost first
  bool json = false;            ///< instead of the table
  bool points = false;          ///< instead of the table: the point lines that end a results file
  bool complete = false;        ///< appends missing point lines to the file
  bool wide = false;            ///< every column, however narrow the terminal is
  bool verbose = false;         ///< every note
};
/// The request in the words after `syncmeter show`.
struct show_request {
  std::string file;
  show_view view;
  bool help = false;
};
[[nodiscard]] show_request parse_show(const std::vector<std::string>& arguments);

/// Returns the file of --csv, which must not be an element of `inputs`.
[[nodiscard]] output_file csv_file(const show_view& view, std::vector<std::string> inputs);
/// Reads, prints and, on request, exports a results file, at the end of `show` and `run`. Returns 1
/// when a point in the file failed.
int show_results(const std::string& file, const show_view& view, std::FILE* out);

/// The entries that `census` prints. An empty list means all.
struct census_options {
  std::vector<std::string> backends, ops;
  std::vector<value_type> types;
  std::vector<order> orders;
  bool wide = false;  ///< the whole table on a terminal too
  bool json = false;
  bool check = false;  ///< exit status 1 unless every entry is proven, elided or without symbols
  bool save = false;   ///< keep the census of GPU code beside its worker, for `run` and `list`
  bool help = false;
};
/// Throws usage_error naming the option, the offending text and the allowed values.
[[nodiscard]] census_options parse_census_options(const std::vector<std::string>& arguments);

/// Prints the census of these workers to `out` and returns the exit status: 0, or 1 with `check`
/// when an entry is wrong, not declared or not proven, a worker gives no answer, or there was
/// nothing to check. Throws usage_error when the options name an op or a backend that no worker
/// has.
[[nodiscard]] int census_of_workers(const census_options& options,
                                    const std::vector<worker_info>& workers, std::FILE* out);

}  // namespace syncmeter

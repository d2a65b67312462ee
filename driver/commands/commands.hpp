// The sub-commands: the one table that the driver's --help, the completion of shells and the manual
// page are made from; and what of a command is called otherwise.
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
  /// `program` is how the driver was called, `arguments` what stands behind the name; prints to
  /// `out`. Returns the exit status; throws usage_error.
  std::function<int(const std::string& program, const std::vector<std::string>& arguments,
                    std::FILE* out)>
      run;
  std::string word{};                ///< what it takes beside options: "FILE"; empty: nothing
  std::vector<std::string> words{};  ///< what that can be, where it is no file
  std::string notes{};               ///< more on it, in the manual page
};

/// In the order of --help.
[[nodiscard]] const std::vector<command>& commands();

// Their rows, each made in the file of its command.
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
/// The commands that syncmeter-report runs.
[[nodiscard]] std::vector<command> report_rows();

/// Most commands need not know how the driver was called.
[[nodiscard]] inline auto alone(int (*command)(const std::vector<std::string>&, std::FILE*)) {
  return [command](const std::string&, const std::vector<std::string>& arguments, std::FILE* out) {
    return command(arguments, out);
  };
}

/// The rows of a command's request that nobody reads, for its row.
template <class Request>
[[nodiscard]] std::vector<option_row> unread_rows(std::vector<option_row> (*rows_of)(Request&)) {
  static Request unread{};
  return rows_of(unread);
}

/// Of a command without other options.
[[nodiscard]] inline std::vector<option_row> help_alone(bool& help) { return {help_row(help)}; }

/// What the driver does, in half a line.
inline constexpr const char* program_purpose =
    "measures what synchronization primitives cost on this machine";

/// Packages, caches, cores, what of them may be used, and where each policy puts the lanes. Throws
/// usage_error, also for a file or description that hwloc cannot read.
[[nodiscard]] int topology_command(const std::vector<std::string>& arguments, std::FILE* out);
/// PU numbers in the order given; three or more in a row as "a-b", four or more with the same step
/// s between them as "a-b:s": {0, 1, 2, 8, 10, 12, 14, 5} is "0-2 8-14:2 5".
[[nodiscard]] std::string pus_text(std::span<const int> pus);

/// What of a results file is printed, and how.
struct show_view {
  std::optional<std::string> csv{};
  bool force = false;              ///< csv may replace a file
  std::vector<std::string> ops{};  ///< patterns; empty: every op
  std::vector<value_type> types{};
  std::vector<count_range> lanes{};
  std::string sort = "family";  ///< "family" or "cost": the lowest cost first
  bool json = false;            ///< in place of the table
  bool points = false;    ///< in place of the table: the lines of points that end a results file
  bool complete = false;  ///< appends those lines to a file that lacks them
  bool wide = false;      ///< every column, however narrow the terminal is
  bool verbose = false;   ///< every note
};
/// What the words after `syncmeter show` ask for.
struct show_request {
  std::string file;
  show_view view;
  bool help = false;
};
[[nodiscard]] show_request parse_show(const std::vector<std::string>& arguments);

/// The file of --csv, which is not to be one of `inputs`.
[[nodiscard]] output_file csv_file(const show_view& view, std::vector<std::string> inputs);
/// Reads, prints and, where asked, exports a results file; the end of `show` and of `run`. Exit
/// status 1 when a point of the file failed.
int show_results(const std::string& file, const show_view& view, std::FILE* out);

/// The entries that `census` prints. An empty list means: all.
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
/// Throws usage_error naming the option, the offending text and what is allowed.
[[nodiscard]] census_options parse_census_options(const std::vector<std::string>& arguments);

/// Prints the census of these workers to `out` and returns the exit status: 0, or 1 with `check`
/// when an entry is wrong, not declared or not proven, a worker cannot be asked, or there was
/// nothing to check. Throws usage_error when an op or a backend named in the options is none of the
/// workers'.
[[nodiscard]] int census_of_workers(const census_options& options,
                                    const std::vector<worker_info>& workers, std::FILE* out);

}  // namespace syncmeter

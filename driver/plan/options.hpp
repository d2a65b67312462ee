// The command line of `syncmeter run`, parsed and validated.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/axes.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {

struct study;

/// The options of `syncmeter run`. An empty list selects the study's own values, every backend with
/// a worker, or all devices. The fields have the units in options.def.
struct run_options {
#define SM_OPTION(field, type, absent, ...) type field = absent;
#include "driver/plan/options.def"
};

/// Writes and reads the campaign line, from which --resume plans the same points again.
void to_json(nlohmann::json& j, const run_options& o);
void from_json(const nlohmann::json& j, run_options& o);

/// The request in the words after `syncmeter run`.
struct run_request {
  run_options options;
  bool help = false;
};

/// Parses and validates the words. Beside --resume, only --retry, --budget and --csv are allowed,
/// because points come from the file. Throws usage_error. make_plan checks ops and backends.
[[nodiscard]] run_request parse_run(const std::vector<std::string>& arguments);

/// Binds the table of options to a request. `refused` becomes the first option that --resume does
/// not allow.
[[nodiscard]] std::vector<option_row> run_rows(run_request& request, std::string& refused);
/// Applies a study's settings unless the user sets them: precision, times, the order of its visits.
void take_settings_of(const study& chosen, run_options& o);
/// Throws usage_error for options that exclude each other.
void check_together(const run_options& options, const std::string& refused);

/// Returns the text of `syncmeter SUBCOMMAND --help`, with each option's default and unit.
[[nodiscard]] std::string run_help();

/// Return options for shell completion and the manual page, and what both say about the report.
[[nodiscard]] std::vector<option_row> run_command_rows();
[[nodiscard]] std::string report_notes();

}  // namespace syncmeter

// What the user asked for: the command line of `syncmeter`, parsed and validated.
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

/// The options of `syncmeter run`. An empty list means: the study's own values; of backends: every
/// one with a worker; of devices: all. What options.def says of units holds for the fields.
struct run_options {
#define SM_OPTION(field, type, absent, ...) type field = absent;
#include "driver/plan/options.def"
};

/// For the campaign line, so that --resume can plan the same points again.
void to_json(nlohmann::json& j, const run_options& o);
void from_json(const nlohmann::json& j, run_options& o);

/// What the words after `syncmeter run` ask for.
struct run_request {
  run_options options;
  bool help = false;
};

/// Parses and validates them. With --resume, only --retry, --budget and --csv may stand beside it:
/// the points come from the file. Throws usage_error. Ops and backends are checked by make_plan,
/// which knows them.
[[nodiscard]] run_request parse_run(const std::vector<std::string>& arguments);

/// The table of options bound to a request; `refused` becomes the first one that --resume does not
/// admit.
[[nodiscard]] std::vector<option_row> run_rows(run_request& request, std::string& refused);
/// What a study sets unless the user does: precision, times, the order of its visits.
void take_settings_of(const study& chosen, run_options& o);
/// Throws usage_error for options that exclude each other.
void check_together(const run_options& options, const std::string& refused);

/// The text of `syncmeter SUBCOMMAND --help`; every option with its default and unit.
[[nodiscard]] std::string run_help();

/// Their options, for the completion of shells and the manual page, and what both say of the
/// report.
[[nodiscard]] std::vector<option_row> run_command_rows();
[[nodiscard]] std::string report_notes();

}  // namespace syncmeter

// The command lines of `run` and `show`, and the options of `run` in a results file:
// --resume plans the same points again.
#include "driver/plan/options.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/plan/run_option_table.hpp"
#include "driver/plan/study.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

std::vector<option_row> show_rows(show_request& request) {
  return {help_row(request.help),
          value_row("csv", "FILE", "also write every point as CSV (default: none)",
                    request.view.csv, &parse_file_name),
          switch_row("force", "--csv may replace a file, but never results (default: off)",
                     request.view.force),
          value_row("op", "LIST",
                    "only these ops; * matches any characters, as in atomic_* (default: all)",
                    request.view.ops, &parse_list),
          value_row("type", "LIST", "only these types (default: all)", request.view.types,
                    names_of_axis<value_type>{"type"}),
          value_row("lanes", "LIST",
                    "only points of so many lanes: numbers, ranges and max, the most in the file "
                    "(default: all)",
                    request.view.lanes, &parse_lanes),
          value_row("sort", "KEY",
                    "cost: the cheapest first; family: as the ops are listed "
                    "(default: family)",
                    request.view.sort, one_name{"key", {"cost", "family"}}),
          switch_row("json", "print the points as JSON, with the columns of --csv (default: off)",
                     request.view.json),
          switch_row("points",
                     "print the estimate of each point as the lines that end a results file, and "
                     "nothing else (default: off)",
                     request.view.points),
          switch_row("complete",
                     "append those lines to FILE where it lacks them: its campaign was cut off, or "
                     "an older version wrote it (default: off)",
                     request.view.complete),
          switch_row("wide", "print every column, however narrow the terminal is (default: off)",
                     request.view.wide),
          switch_row("verbose", "print every note (default: off)", request.view.verbose)};
}

constexpr const char* about_the_report =
    "Below the table, syncmeter-report adds ratios, sizes and verdicts.\nSYNCMETER_REPORT in the "
    "environment is the path of that program if it is not\nfound, or off to leave its text out.\n";

}  // namespace

std::vector<option_row> run_rows(run_request& request, std::string& refused) {
  std::vector<option_row> rows{help_row(request.help)};
  for (const run_option& row : run_option_table()) {
    if (row.name.empty()) continue;
    rows.push_back({.name = row.name,
                    .value = row.value,
                    .help = row.help,
                    .values = row.values,
                    .take = [&](const std::string& option, const std::string& text) {
                      if (!row.beside_resume && refused.empty()) refused = option;
                      row.take(request.options, option, text);
                    }});
  }
  return rows;
}

void check_together(const run_options& o, const std::string& refused) {
  if (o.resume && !refused.empty()) {
    throw usage_error(
        fmt::format("{}: cannot be combined with --resume, which takes points and settings from "
                    "the results file; allowed with it: --retry, --budget, --csv, --force",
                    refused));
  }
  if (o.min_sample_us * 1e-6 >= o.max_time_s) {
    throw usage_error(fmt::format("--min-sample: {:g}us must be shorter than --max-time ({:g}ms)",
                                  o.min_sample_us, o.max_time_s * 1e3));
  }
  if (!o.pus.empty() && !(o.lanes.empty() && o.affinities.empty())) {
    throw usage_error(fmt::format("--pus: cannot be combined with --{}; --pus already sets the "
                                  "number of lanes and their placement",
                                  o.lanes.empty() ? "affinity" : "lanes"));
  }
  if (o.retry && !o.resume) throw usage_error("--retry: needs --resume FILE");
}

run_request parse_run(const std::vector<std::string>& arguments) {
  run_request request;
  take_settings_of(*find_study(request.options.study), request.options);
  std::string refused;
  parse_command_line(arguments, run_rows(request, refused));
  if (!request.help) check_together(request.options, refused);
  return request;
}

show_request parse_show(const std::vector<std::string>& arguments) {
  show_request request;
  const std::vector<std::string> words = parse_command_line(arguments, show_rows(request), 1);
  if (words.empty() && !request.help)
    throw usage_error("show: no results file given; use syncmeter show FILE");
  if (!words.empty()) request.file = words.front();
  return request;
}

std::vector<option_row> run_command_rows() {
  static run_request unread;
  static std::string refused;
  return run_rows(unread, refused);
}

std::vector<option_row> show_command_rows() {
  static show_request unread;
  return show_rows(unread);
}

std::string report_notes() { return about_the_report; }

std::string run_help() {
  std::string text =
      "syncmeter run [options]: measures the points of a study and prints a table\n\nStudies\n";
  for (const study& s : studies())
    text += fmt::format("  {:<13} {}\n", s.name, wrapped(std::string(s.purpose), 16, usual_width));
  run_request request;
  std::string refused;
  return text + "\n" + options_text(run_rows(request, refused)) +
         "\nSeparate the elements of a LIST by commas, without spaces.\nExit status: " +
         exit_statuses + "\n\n" + about_the_report;
}

std::string show_help() {
  show_request request;
  return "syncmeter show FILE [options]: prints a results file as a table\n\n" +
         options_text(show_rows(request)) + "\n" + about_the_report;
}

void to_json(nlohmann::json& j, const run_options& o) {
  j = nlohmann::json::object();
  for (const run_option& row : run_option_table()) {
    if (!row.member.empty()) j[row.member] = row.written(o);
  }
}

void from_json(const nlohmann::json& j, run_options& o) {
  o = run_options{};
  for (const run_option& row : run_option_table()) {
    if (!row.member.empty() && j.contains(row.member)) row.read(j.at(row.member), o);
  }
}

}  // namespace syncmeter

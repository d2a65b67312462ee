// The command lines of `run`, `show` and `list`, and the options of `run` in a results file, so
// that
// --resume plans the same points again.
#include "driver/plan/options.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/plan/run_option_table.hpp"
#include "driver/studies/studies.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// The table bound to a request; `refused` becomes the first option that --resume does not admit.
std::vector<option_row> run_rows(run_request& request, std::string& refused) {
  std::vector<option_row> rows{help_row(request.help)};
  for (const run_option& row : run_option_table()) {
    if (row.name.empty()) continue;
    rows.push_back({.name = row.name,
                    .value = row.value,
                    .help = row.help,
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
        fmt::format("{}: not with --resume, which takes points and settings from its file; "
                    "allowed beside it: --retry, --budget, --csv",
                    refused));
  }
  if (o.min_sample_us * 1e-6 >= o.max_time_s) {
    throw usage_error(fmt::format("--min-sample: {:g}us is not shorter than --max-time ({:g}ms), "
                                  "so no point could be measured",
                                  o.min_sample_us, o.max_time_s * 1e3));
  }
  if (!o.pus.empty() && !(o.lanes.empty() && o.affinities.empty())) {
    throw usage_error(
        fmt::format("--pus: not with --{}: it says how many lanes there are and where "
                    "each one is",
                    o.lanes.empty() ? "affinity" : "lanes"));
  }
  if (o.retry && !o.resume) throw usage_error("--retry: only together with --resume FILE");
}

std::vector<option_row> show_rows(show_request& request) {
  return {help_row(request.help),
          {.name = "csv",
           .value = "FILE",
           .help = "also write every point as CSV (default: none)",
           .take = [&](const auto& option, const auto& text) {
             request.csv = parse_file_name(option, text);
           }}};
}

std::vector<option_row> list_rows(list_request& request) {
  return {help_row(request.help),
          {.name = "backend",
           .value = "LIST",
           .help = "APIs to list (default: every backend with a worker)",
           .take = [&](const auto& option, const auto& text) {
             request.backends = parse_list(option, text);
           }}};
}

constexpr const char* about_the_report =
    "\nBelow the points stands what they say together, as syncmeter-report tells it. "
    "SYNCMETER_REPORT\n"
    "in the environment names that program where it is not found, or is off.\n";

}  // namespace

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
    throw usage_error("show: which results file? Write syncmeter show FILE");
  if (!words.empty()) request.file = words.front();
  return request;
}

list_request parse_list_command(const std::vector<std::string>& arguments) {
  list_request request;
  parse_command_line(arguments, list_rows(request));
  return request;
}

std::string run_help() {
  std::string text =
      "syncmeter run [options]: measures the points of a study and prints a table\n\nStudies\n";
  for (const study& s : studies()) text += fmt::format("  {:<13} {}\n", s.name, s.purpose);
  run_request request;
  std::string refused;
  return text + "\n" + options_text(run_rows(request, refused)) +
         "\nA list has commas and no blanks. Exit status: 0 done, 1 a point failed, 2 wrong "
         "usage.\n" +
         about_the_report;
}

std::string show_help() {
  show_request request;
  return "syncmeter show FILE [options]: prints a results file as a table\n\n" +
         options_text(show_rows(request)) + about_the_report;
}

std::string list_help() {
  list_request request;
  return "syncmeter list [options]: which ops each backend can measure, and why not the "
         "others\n\n" +
         options_text(list_rows(request));
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

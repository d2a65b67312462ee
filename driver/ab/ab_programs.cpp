#include "driver/ab/ab_programs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/ab/arm_plan.hpp"
#include "driver/campaign/program_pairs.hpp"
#include "driver/results/results_writer.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/output_file.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/ending_signals.hpp"

namespace syncmeter {
namespace {

constexpr const char* command_option = "--command";
constexpr int nothing_compared = 2, blind_status = 3, interrupted = 128;

struct programs_request {
  std::vector<std::string> commands;
  std::array<std::vector<std::string>, 2> settings;
  program_pairs_options options;
  std::string sees = "50%", format = "text";
  std::optional<std::string> output;
};

std::vector<option_row> rows_of_programs(programs_request& request) {
  std::vector<option_row> rows{
      {.name = "command",
       .value = "COMMAND",
       .help = "a program to run whole, with its arguments, for the shell; given twice, or once "
               "with --env-a or --env-b",
       .take =
           [&request](const std::string& option, const std::string& text) {
             request.commands.push_back(parse_some_text(option, text));
           },
       .repeats = true},
      setting_row("env-a", "the program A", request.settings[0]),
      setting_row("env-b", "the program B", request.settings[1]),
      value_row("budget", "TIME",
                "run pairs for at most this time, with its unit; a decision ends the runs "
                "(default: 120s)",
                request.options.budget_s, &parse_seconds),
      value_row("threshold", "SHARE", "ignore a change up to this share: 2% or 0.02 (default: 1%)",
                request.options.threshold, &parse_threshold),
      value_row("sees", "SHARE",
                "end with status 3 if a change of this size is still possible (default: 50%)",
                request.sees, &parse_change),
      value_row("format", "NAME", "text or json (default: text)", request.format,
                one_name{"format", {"text", "json"}}),
      value_row("output", "FILE",
                "also write the comparison and its runs as JSON; must not exist (default: "
                "none)",
                request.output, &parse_file_name)};
  std::ranges::move(rows_of_pairs(request.options), std::back_inserter(rows));
  return rows;
}

std::array<program_arm, 2> arms_of_request(const programs_request& request) {
  if (request.commands.size() > 2)
    throw usage_error("ab: --command may be given twice: two programs are compared");
  if (request.commands.size() == 1 && request.settings[0] == request.settings[1])
    throw usage_error("ab: one program can only be compared with itself in two environments: give "
                      "--env-a or --env-b, or --command twice");
  std::array<program_arm, 2> arms;
  for (std::size_t i = 0; i < 2; ++i)
    arms[i] = {.name = i == 0 ? "a" : "b",
               .path = "/bin/sh",
               .words = {"sh", "-c", request.commands[std::min(i, request.commands.size() - 1)]},
               .settings = request.settings[i]};
  return arms;
}

int status_of(const program_comparison& of, const programs_request& request) {
  if (of.interrupted_by != 0) return interrupted + of.interrupted_by;
  if (of.verdict == program_verdict::slower) return 1;
  if (of.verdict == program_verdict::refused) return of.broken_in_b ? 1 : nothing_compared;
  const bool higher = request.options.metric && request.options.higher_is_better;
  const double worst = higher ? 1 / of.ratio.low : of.ratio.high;
  // Few pairs exclude no slowdown, and a program with another output may do other work.
  const bool is_blind =
      of.other_outputs > 0 || (of.verdict == program_verdict::undecided &&
                               (!why_undecided(of).empty() || worst > 1 + share_of(request.sees)));
  return is_blind ? blind_status : 0;
}

nlohmann::json json_of(const program_comparison& of, const std::array<program_arm, 2>& arms,
                       const programs_request& request, int status) {
  nlohmann::json line{{"record", "programs"},        {"verdict", name_of_verdict(of.verdict)},
                      {"exit_status", status},       {"threshold", request.options.threshold},
                      {"confidence", of.confidence}, {"output_varies", of.output_varies}};
  if (!of.refusal.empty()) line["refusal"] = of.refusal;
  if (request.options.metric) line["metric"] = *request.options.metric;
  if (of.verdict != program_verdict::refused)
    line["ratio"] = {{"value", of.ratio.value}, {"low", of.ratio.low}, {"high", of.ratio.high}};
  for (std::size_t i = 0; i < 2; ++i) {
    nlohmann::json arm{{"name", arms[i].name},
                       {"command", arms[i].words.back()},
                       {"settings", arms[i].settings},
                       {"runs", nlohmann::json::array()}};
    for (const program_pair_run& run : of.runs[i])
      arm["runs"].push_back({{"wall_s", run.wall_s}, {"figure", run.figure}});
    line["arms"].push_back(std::move(arm));
  }
  return line;
}

std::string arm_line(const program_arm& arm) {
  std::string text = fmt::format("{}: ", arm.name);
  for (const std::string& setting : arm.settings) text += setting + " ";
  return printable(text + arm.words.back());
}

}  // namespace

bool names_programs(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [](const std::string& word) {
    return word == command_option || word.starts_with(std::string(command_option) + "=");
  });
}

std::vector<option_row> program_rows() {
  static programs_request unread;
  return rows_of_programs(unread);
}

int compare_commands(const std::vector<std::string>& arguments, std::FILE* out) {
  programs_request request;
  bool help = false;
  std::vector<option_row> rows = rows_of_programs(request);
  rows.push_back(help_row(help));
  parse_command_line(arguments, rows);
  if (help) {
    std::fputs(ab_help().c_str(), out);
    return 0;
  }
  require_metric(request.options, "ab");
  const std::array<program_arm, 2> arms = arms_of_request(request);
  std::optional<output_file> file;
  if (request.output) {
    file = {.option = "--output", .path = *request.output, .offers_force = false};
    require_writable(*file);
  }
  const ends_with_status ends_by_signal;
  const program_comparison of = compare_programs(arms, request.options);
  const int status = status_of(of, request);
  const nlohmann::json line = json_of(of, arms, request, status);
  if (file) write_lines_whole(*file, {line});
  if (request.format == "json") {
    fmt::print(out, "{}\n", line.dump());
    return status;
  }
  const std::size_t width = usual_width;
  for (const program_arm& arm : arms) fmt::print(out, "{}\n", wrapped(arm_line(arm), 3, width));
  fmt::print(out, "{}\n", wrapped(printable(verdict_text(of, arms, request.options)), 0, width));
  const std::string others = other_outputs_text(of, arms[0].name, arms[1].name);
  if (!others.empty() && of.verdict != program_verdict::refused)
    fmt::print(out, "{}\n", wrapped(printable(others), 0, width));
  if (of.output_varies && !request.options.check && of.verdict != program_verdict::refused)
    fmt::print(out, "{}\n",
               wrapped("What a writes differs from run to run: whether b does the same work is not "
                       "known; --check COMMAND may say.",
                       0, width));
  return status;
}

}  // namespace syncmeter

#include "driver/ab/ab_programs.hpp"
#include "driver/ab/arm_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "driver/plan/study.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

// Options of `run` missing here: they concern its table, or are always set.
constexpr std::array<std::string_view, 8> not_here{
    "help,h",  "interleave-backends", "vcpu-placements", "csv", "force", "wide",
    "verbose", "list-workers"};

// The driver places lanes and sizes pools itself, the same in both arms.
constexpr std::array<std::string_view, 9> placed_by_us{
    "OMP_PROC_BIND",    "OMP_PLACES",  "GOMP_CPU_AFFINITY", "KMP_AFFINITY",      "OMP_NUM_THREADS",
    "OMP_THREAD_LIMIT", "OMP_DYNAMIC", "OMP_SCHEDULE",      "KOKKOS_NUM_THREADS"};

constexpr double percent_of_one = 100;

void refuse_placement(const std::string& option, const std::string& name) {
  if (contains(placed_by_us, name)) {
    throw usage_error(fmt::format(
        "{}: {} is not allowed: syncmeter pins the threads itself; use --affinity, --cpus and "
        "--threads, which hold for both",
        option, name));
  }
}

std::vector<option_row> own_rows(ab_request& request) {
  auto& [a, b] = request.arms.arms;
  return {
      help_row(request.run.help),
      setting_row("env-a", "the workers of A", a.environment, &refuse_placement),
      setting_row("env-b", "the workers of B", b.environment, &refuse_placement),
      value_row("threshold", "SHARE", "ignore a change up to this share: 2% or 0.02 (default: 1%)",
                request.arms.threshold, &parse_threshold),
      switch_row("all",
                 "also measure configurations whose loops are equal machine code (default: off; on "
                 "if --env-a and --env-b differ)",
                 request.arms.all),
      value_row("sees", "SHARE",
                "smallest change that must be detectable in every configuration (default: 50%)",
                request.sees, &parse_change),
      value_row("blind", "NAME",
                "fail: status 3 if nothing is slower, but some are not sensitive enough; ignore: 0 "
                "(default: fail)",
                request.blind, one_name{"blind", {"fail", "ignore"}}),
      value_row("format", "NAME", "text, json, markdown or junit (default: text)", request.format,
                one_name{"format", {"text", "json", "markdown", "junit"}})};
}

std::vector<option_row> rows_of_run(ab_request& request, std::string& refused) {
  std::vector<option_row> rows;
  for (option_row& row : run_rows(request.run, refused)) {
    if (contains(not_here, row.name)) continue;
    if (row.name == "repetitions")
      row.help =
          fmt::format("number of repetitions of each configuration in each build (default: {})",
                      usual_ab_visits);
    if (row.name == "budget")
      row.help = "stop after this time, with its unit; until then undecided configurations "
                 "are repeated (default: no limit, and nothing beyond --repetitions)";
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<option_row> all_ab_rows(ab_request& request, std::string& refused) {
  std::vector<option_row> rows = own_rows(request);
  std::ranges::move(rows_of_run(request, refused), std::back_inserter(rows));
  return rows;
}

// Parses "old=build/old/bin", or a path alone.
void take_build(build_arm& arm, const std::string& word) {
  const std::size_t equals = word.find('=');
  arm.path = word;
  if (equals == std::string::npos || word.find('/') < equals) return;
  arm.name = word.substr(0, equals);
  arm.path = word.substr(equals + 1);
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '+';
  };
  if (arm.name.empty() || !std::ranges::all_of(arm.name, is_allowed)) {
    throw usage_error(fmt::format(
        "ab: the name {} of a build may have letters, digits and the characters _ - . +",
        quote(arm.name)));
  }
}

void check_builds(ab_request& request, const std::vector<std::string>& words) {
  auto& [a, b] = request.arms.arms;
  // A complete file is printed without builds. An incomplete file names paths and environments, but
  // they are never run: the file's author would choose the programs to run.
  if (request.run.options.resume && words.empty()) return;
  if (words.empty())
    throw usage_error("ab: two builds must be named, as in syncmeter ab old=old/bin new=new/bin");
  a.name = "a";
  b.name = "b";
  take_build(a, words.front());
  if (words.size() == 2) take_build(b, words.back());
  else b.path = a.path;
  if (words.size() == 1 && a.environment == b.environment)
    throw usage_error("ab: one build can only be compared with itself in two environments: give "
                      "--env-a or --env-b, or a second build");
  if (a.name == b.name)
    throw usage_error(
        fmt::format("ab: both builds are named {}; use NAME=PATH with two names", quote(a.name)));
  // A campaign may be resumed from another folder.
  for (build_arm* arm : {&a, &b}) {
    if (!std::filesystem::exists(arm->path))
      throw usage_error(fmt::format("ab: there is no {}; a build is a folder of workers or a "
                                    "worker, and two programs are compared by --command",
                                    quote(arm->path)));
    arm->path = std::filesystem::absolute(arm->path).lexically_normal().string();
  }
}

}  // namespace

option_row setting_row(const char* name, const char* whose, std::vector<std::string>& settings,
                       refuse_setting refuse) {
  return {.name = name,
          .value = "NAME=VALUE",
          .help = fmt::format("an environment variable of {}; may be given several times (default: "
                              "none)",
                              whose),
          .take =
              [&settings, refuse](const std::string& option, const std::string& text) {
                const std::size_t equals = text.find('=');
                if (equals == std::string::npos || equals == 0)
                  throw usage_error(fmt::format("{}: {} is not NAME=VALUE", option, quote(text)));
                if (refuse != nullptr) refuse(option, text.substr(0, equals));
                settings.push_back(text);
              },
          .repeats = true};
}

double parse_threshold(const std::string& option, const std::string& text) {
  if (!text.ends_with('%')) return parse_share(option, text);
  char* end = nullptr;
  const double percent = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() - 1 || !(percent > 0 && percent < percent_of_one))
    throw usage_error(fmt::format("{}: '{}' is not a share such as 2% or 0.02", option, text));
  return percent / percent_of_one;
}

std::string parse_change(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double change = std::strtod(text.c_str(), &end);
  const std::string_view rest(end);
  if (end == text.c_str() || !(rest.empty() || rest == "%") || !(change > 0))
    throw usage_error(fmt::format("{}: '{}' is not a change such as 50% or 0.5", option, text));
  return text;
}

double share_of(const std::string& change) {
  return std::strtod(change.c_str(), nullptr) / (change.ends_with('%') ? percent_of_one : 1);
}

ab_request parse_ab(const std::vector<std::string>& arguments) {
  ab_request request;
  run_options& options = request.run.options;
  take_settings_of(*find_study(options.study), options);
  std::string refused;
  const std::vector<std::string> words =
      parse_command_line(arguments, all_ab_rows(request, refused), 2);
  if (request.run.help) return request;
  check_together(options, refused);
  check_builds(request, words);
  if (!options.resume && !options.visits) options.visits = usual_ab_visits;
  request.arms.looks_again = options.budget_s.has_value();
  return request;
}

std::vector<option_row> ab_rows() {
  static ab_request unread;
  static std::string refused;
  std::vector<option_row> rows = all_ab_rows(unread, refused);
  for (option_row& row : program_rows())
    if (std::ranges::find(rows, row.name, &option_row::name) == rows.end())
      rows.push_back(std::move(row));
  return rows;
}

std::string ab_notes() {
  return "A and B are two builds: folders that hold workers, or single workers, named by\n"
         "NAME=PATH (default: a and b). One build is compared with itself in two\n"
         "environments by --env-a and --env-b. syncmeter measures both alternately, and\n"
         "compares their repetitions with the same vCPU placement. With --command A and B\n"
         "are programs, which run whole and alternately, and are compared in pairs.\n";
}

std::string ab_help() {
  ab_request request;
  std::string refused;
  return "Usage: syncmeter ab A B [options]\n"
         "       syncmeter ab --command COMMAND --command COMMAND [options]\n" +
         ab_notes() + "\n" + options_text(own_rows(request)) + "\n" +
         options_text(rows_of_run(request, refused),
                      "Configurations and repetitions, as in `syncmeter run`") +
         "\n" + options_text(program_rows(), "Programs, with --command") +
         "\nSeparate the elements of a LIST by commas, without spaces. `syncmeter show FILE`\n"
         "prints the costs.\n"
         "Exit status: 0 nothing got slower, 1 something did, or failed in B alone,\n"
         "2 wrong usage or nothing to compare, 3 nothing got slower, but some\n"
         "configurations are not sensitive enough (--sees), or B lacks them,\n"
         "130 Ctrl-C, 143 SIGTERM, 129 SIGHUP.\n";
}

}  // namespace syncmeter

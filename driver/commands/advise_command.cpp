// `syncmeter advise -- ./app`: the synchronization calls of a user's program, how often and where.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/ab/arm_plan.hpp"
#include "driver/advise/advise.hpp"
#include "driver/advise/kernel_forms.hpp"
#include "driver/advise/memory_samples.hpp"
#include "driver/advise/samples.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/advise/trials.hpp"
#include "driver/commands/commands.hpp"
#include "driver/results/results_writer.hpp"
#include "driver/show/report_program.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/output_file.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/ending_signals.hpp"

namespace syncmeter {
namespace {

constexpr const char* before_command = "--";
constexpr int gate_not_judged = 3;

struct advise_request {
  double budget_s = 60;
  std::optional<std::string> results, json, html;
  std::optional<std::string> fail_above;
  bool sites = false, verbose = false;
  std::optional<std::string> static_file;
  bool tries = false;
  program_pairs_options trials;
  bool help = false;
};

/// Returns the share as given, for the package. Throws usage_error like parse_threshold.
std::string checked_share(const std::string& option, const std::string& text) {
  (void)parse_threshold(option, text);
  return text;
}

std::vector<option_row> rows_of(advise_request& request) {
  std::vector<option_row> rows{
      help_row(request.help),
      value_row("budget", "TIME",
                "time for runs of the program, with its unit: runs with and without counting "
                "alternate, one to five of each; --try gets the same time again (default: "
                "60s)",
                request.budget_s, &parse_seconds),
      value_row("results", "FILE",
                "results file of syncmeter run with the unit costs of this machine, or with "
                "--static of a GPU (default: unit costs are measured between the runs)",
                request.results, &parse_file_name),
      value_row("json", "FILE",
                "also write facts and measurements, a JSON object in each line; must not exist "
                "(default: none)",
                request.json, &parse_file_name),
      value_row("fail-above", "SHARE",
                "end with status 1 if one change may save more than this share of the time, such "
                "as 10%, and with 3 if the program cannot be judged (default: none)",
                request.fail_above, &checked_share),
      switch_row("sites", "also print the tables of call sites, locks and kernels (default: off)",
                 request.sites),
      switch_row("verbose",
                 "also print notes, other changes, costs on this machine and runs (default: off)",
                 request.verbose),
      value_row("html", "FILE", "also write one page; must not exist (default: none)", request.html,
                &parse_file_name),
      value_row("static", "FILE",
                "run nothing: list the atomic operations and synchronizing calls in the machine "
                "code of this program or library (default: none)",
                request.static_file, &parse_file_name),
      switch_row("try",
                 "also run the program with environment settings and locks that may help, "
                 "alternately with the unchanged program, and hide its output (default: off)",
                 request.tries)};
  std::ranges::move(rows_of_pairs(request.trials), std::back_inserter(rows));
  return rows;
}

std::string advise_notes() {
  return "The program runs several times. It has the standard streams of this command. The\n"
         "findings are printed on standard error after its output. Processes that the\n"
         "program leaves behind are ended.\n";
}

std::string advise_statuses() {
  return "Exit status: 0 the program was counted, and with --fail-above no change saves\n"
         "more; 1 a change may save more than --fail-above, or the program could not run;\n"
         "2 wrong usage, no such program, or a static or set-user-id program;\n"
         "3 --fail-above cannot be judged; 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP.\n";
}

/// Returns the file of this option. Throws usage_error before the first run if the name is wrong.
std::optional<output_file> file_to_write(const char* option,
                                         const std::optional<std::string>& path) {
  if (!path) return std::nullopt;
  output_file file{.option = option, .path = *path, .offers_force = false};
  require_writable(file);
  return file;
}

/// Returns the options of `syncmeter-report advise` for this request.
std::vector<std::string> options_of_report(const advise_request& request) {
  std::vector<std::string> options;
  if (request.sites) options.emplace_back("--sites");
  if (request.verbose) options.emplace_back("--verbose");
  if (request.html) options.push_back("--html=" + *request.html);
  if (request.fail_above) options.push_back("--fail-above=" + *request.fail_above);
  return options;
}

/// A file for the package, removed at the end.
class temporary_file {
 public:
  temporary_file()
      : path_((std::filesystem::temp_directory_path() / "syncmeter-advise-XXXXXX.jsonl").string()) {
    constexpr int suffix_length = 6;  // length of ".jsonl"
    const int fd = ::mkstemps(path_.data(), suffix_length);
    if (fd < 0)
      throw std::runtime_error(fmt::format("{} cannot be made: {}", path_, std::strerror(errno)));
    ::close(fd);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { ::unlink(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Prints the package's conclusions, or call sites and the causes that the driver judges. Returns
/// the exit status for --fail-above.
int print_conclusions(const advise_request& request, const program_counts& counted,
                      const std::vector<nlohmann::json>& lines) {
  const temporary_file file;
  std::ofstream out(file.path());
  for (const nlohmann::json& line : lines) out << line.dump() << '\n';
  out.close();
  if (!out) throw std::runtime_error(fmt::format("{} cannot be written", file.path()));
  const report_end end =
      add_conclusions(file.path(), options_of_report(request), request.fail_above.has_value());
  if (end.status) return *end.status;
  std::fputs(advice_text(counted, style_of(STDERR_FILENO)).c_str(), stderr);
  print_message("locks and work under locks are not judged: " + end.problem);
  if (request.fail_above)
    print_message("--fail-above cannot be judged: the program is not wholly judged");
  return gate_not_judged;
}

/// Runs no program.
int advise_on_code(const advise_request& request, bool has_command, std::FILE* out) {
  if (has_command)
    throw usage_error("advise: --static runs no program; leave out the command behind --, or "
                      "--static");
  if (request.tries)
    throw usage_error("advise: --try needs runs, and --static runs nothing; leave one out");
  if (request.fail_above)
    throw usage_error("advise: --fail-above needs a run, and --static runs nothing; leave one out");
  const std::optional<output_file> file = file_to_write("--json", request.json);
  program_counts found = sites_without_a_run(*request.static_file);
  const std::string problem = find_source_lines(found.of_last_run.sites);
  if (!problem.empty()) found.notes.push_back(problem);
  if (request.results) price_instructions(read_results(*request.results), found.of_last_run.sites);
  if (file) write_lines_whole(*file, advice_lines(found));
  std::fputs(static_text(found, style_of(::fileno(out))).c_str(), out);
  return 0;
}

int advise_command(const std::vector<std::string>& arguments, std::FILE* out) {
  const auto separator = std::ranges::find(arguments, before_command);
  advise_request request;
  const std::vector<option_row> rows = rows_of(request);
  const std::vector<std::string> words =
      parse_command_line({arguments.begin(), separator}, rows, arguments.size());
  if (!words.empty())
    throw usage_error(fmt::format("advise: {} is no option; the program and its arguments stand "
                                  "behind --, as in syncmeter advise -- {}",
                                  quote(words.front()), printable(words.front())));
  if (request.help) {
    fmt::print(out,
               "Usage: syncmeter advise [options] -- PROGRAM [arguments]\n       syncmeter advise "
               "--static FILE\n\n{}\n{}\n{}",
               advise_notes(), options_text(rows), advise_statuses());
    return 0;
  }
  if (request.static_file) return advise_on_code(request, separator != arguments.end(), out);
  if (separator == arguments.end() || std::next(separator) == arguments.end())
    throw usage_error("advise: no program given, as in syncmeter advise -- ./app");
  const std::optional<off_t> input_start = start_of_input();
  if (request.tries && !input_start)
    throw usage_error("advise: --try runs the program several times, and standard input is a pipe, "
                      "which can be read once; read from a file");
  if (!request.tries && (request.trials.metric || request.trials.check))
    throw usage_error("advise: --metric and --check are for --try");
  require_metric(request.trials, "advise");
  std::optional<results_file> results;
  if (request.results) {
    results = read_results(*request.results);
    require_this_machine(*results);
  }
  const std::optional<output_file> file = file_to_write("--json", request.json);
  (void)file_to_write("--html", request.html);
  const ends_with_status ends_by_signal;
  program_counts counted = count_calls({std::next(separator), arguments.end()}, request.budget_s,
                                       results ? &*results : nullptr);
  const std::string problem = find_source_lines(counted.of_last_run.sites);
  if (!problem.empty()) counted.notes.push_back(problem);
  choose_sampled_sites(counted.of_last_run.sites);
  if (const std::string unnamed = unnamed_sites_text(counted.of_last_run.sites, problem);
      !unnamed.empty())
    counted.notes.push_back(unnamed);
  if (const program_run* const timed = counted.timed_run()) {
    advice_setting setting = setting_of_run();
    setting.wall_s = timed->wall_s;
    setting.voluntary_switches = timed->voluntary_switches;
    setting.plain_wall_s = as_it_is(counted.runs, &program_run::wall_s);
    setting.cuda_span_s = middle_and_ends(cuda_spans_s(counted.runs));
    setting.timed_cuda_span_s = timed->cuda_span_s.value_or(0);
    setting.alone_cpu_s = cpu_s_alone(counted.runs);
    setting.gpu_processes = counted.of_last_run.gpu_processes;
    setting.prices = counted.prices;
    setting.stamps = costs_of_stamps();
    setting.user_s = as_it_is(counted.runs, &program_run::user_s);
    setting.threads_at_work = counted.sampled ? counted.sampled->threads_at_work : 0;
    setting.counts_alone = counts_stand_alone(counted);
    setting.others_share = used_by_others_while_timed(counted);
    setting.run_delay_s = run_delay_while_timed(counted);
    counted.objects = objects_of(counted.of_last_run);
    setting.objects = counted.objects;
    std::ranges::move(
        sentences_on_memory(counted.of_last_run.sites, why_withheld(counted).empty()
                                                           ? std::optional(setting.plain_wall_s)
                                                           : std::nullopt),
        std::back_inserter(counted.notes));
    std::vector<std::string> on_shares;
    counted.advices = advise_on(counted.of_last_run.sites, setting, on_shares);
    if (may_show_shares(counted)) std::ranges::move(on_shares, std::back_inserter(counted.notes));
  }
  // The program's output comes first, even if both go to one file.
  std::fflush(out);
  std::vector<trial> trials;
  if (request.tries && counted.interrupted_by == 0) {
    request.trials.budget_s = request.budget_s;
    request.trials.input = STDIN_FILENO;
    request.trials.input_start = *input_start;
    trials =
        try_settings(counted, settings_to_try(counted, facts_of_trials(counted)), request.trials);
    note_trials(counted.advices, trials, request.trials);
  }
  std::vector<nlohmann::json> lines = advice_lines(counted);
  std::ranges::move(trial_lines(trials), std::back_inserter(lines));
  if (file) write_lines_whole(*file, lines);
  const int gate = print_conclusions(request, counted, lines);
  if (request.tries && counted.interrupted_by == 0) {
    const page_style style = style_of(STDERR_FILENO);
    std::fputs(("\n" + trials_text(counted, trials, request.trials,
                                   style.width == 0 ? usual_width : style.width))
                   .c_str(),
               stderr);
  }
  constexpr int interrupted = 128;
  if (counted.interrupted_by != 0) return interrupted + counted.interrupted_by;
  for (const trial& each : trials)
    if (each.found.interrupted_by != 0) return interrupted + each.found.interrupted_by;
  if (std::ferror(stderr) != 0) throw std::runtime_error("standard error cannot be written");
  return request.fail_above ? gate : 0;
}

}  // namespace

command advise_row() {
  return {.name = "advise",
          .purpose = "finds what your program loses to synchronization, and what to change",
          .options = unread_rows<advise_request>(rows_of),
          .run = alone(advise_command),
          .word = "-- PROGRAM",
          .notes = advise_notes()};
}

}  // namespace syncmeter

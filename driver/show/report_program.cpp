#include "driver/show/report_program.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "driver/text/line_reader.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/find_workers.hpp"
#include "driver/workers/start_program.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* name = "syncmeter-report";
constexpr const char* chosen_by = "SYNCMETER_REPORT";

/// The end of a program: the exit status or the reason for its lack, and the standard error.
struct program_end {
  std::optional<int> status{};
  std::string problem{};
  stream_tail errors{};
};

// Returns the status from waitpid(), or nothing if the program was killed at the deadline.
std::optional<int> wait_for(started_program& child, stream_tail& errors, milliseconds at_most) {
  const clock::time_point deadline = clock::now() + at_most;
  const auto reaped = [&child](int options, int& how) {
    pid_t got = 0;
    while ((got = ::waitpid(child.pid, &how, options)) < 0 && errno == EINTR) {
    }
    return got != 0;
  };
  constexpr int pause_ms = 5;
  for (int how = 0;;) {
    const bool gone = reaped(WNOHANG, how);
    read_outcome read = read_outcome::some;
    while (child.errors && read == read_outcome::some) read = errors.read_from(child.errors.get());
    if (read == read_outcome::end) child.errors.reset();
    if (gone) return how;
    if (clock::now() >= deadline) {
      ::kill(child.pid, SIGKILL);
      (void)reaped(0, how);
      return std::nullopt;
    }
    pollfd watched{.fd = child.errors.get(), .events = POLLIN, .revents = 0};
    ::poll(&watched, 1, pause_ms);
  }
}

// Returns a traceback's last line, which has the error.
std::string last_line(const stream_tail& errors) {
  const std::string_view text = errors.text();
  const std::string_view line = text.substr(text.find_last_of('\n') + 1);
  return line.empty() ? std::string() : fmt::format(": {}", quote(line, 200));
}

program_end run_program(const std::vector<std::string>& words, std::FILE* out,
                        milliseconds at_most) {
  // Both programs write to one descriptor, and this program's buffered text comes first.
  std::fflush(out);
  program_end end;
  const std::string& program = words.front();
  started_program child;
  try {
    child = start_writing_to(::fileno(out), words);
  } catch (const std::runtime_error& error) {
    end.problem = error.what();
    return end;
  }
  const std::optional<int> how = wait_for(child, end.errors, at_most);
  if (!how) {
    end.problem =
        fmt::format("{} was stopped: it took longer than {:g} s{}", program,
                    std::chrono::duration<double>(at_most).count(), last_line(end.errors));
  } else if (WIFSIGNALED(*how)) {
    end.problem =
        fmt::format("{} was ended by signal {}{}", program, WTERMSIG(*how), last_line(end.errors));
  } else {
    end.status = WEXITSTATUS(*how);
    if (*end.status != 0)
      end.problem =
          fmt::format("{} ended with status {}{}", program, *end.status, last_line(end.errors));
  }
  return end;
}

std::string report_hint(const std::string& file) {
  return fmt::format(
      "\nFor ratios, sizes and verdicts run `syncmeter text {}`; scripts/run installs "
      "the report, or `pip install ./analysis` in a checkout.\n",
      shell_word(file));
}

std::string page_command(const std::string& file) {
  const fs::path page = fs::path(file).replace_extension(".html");
  return fmt::format("As a page: syncmeter html {} -o {}\n", shell_word(file),
                     shell_word(page.string()));
}

std::string chosen_program() {
  const char* const chosen = std::getenv(chosen_by);
  return chosen != nullptr ? chosen : "";
}

std::optional<fs::path> find_program(const fs::path& beside, const std::string& file) {
  if (!beside.empty() && is_program(beside / file)) return beside / file;
  for (const fs::path& folder : folders_on_path())
    if (is_program(folder / file)) return folder / file;
  return std::nullopt;
}

// Returns nothing if there is no program or SYNCMETER_REPORT is "off". A name without a slash never
// means a file of the current folder.
std::optional<fs::path> program_to_run() {
  const std::string wanted = chosen_program();
  if (wanted == "off") return std::nullopt;
  if (wanted.empty()) return find_report(own_folder());
  if (wanted.find('/') != wanted.npos) return wanted;
  return find_program(own_folder(), wanted).value_or(own_folder() / wanted);
}

// Returns whether there is a text. `what` names it if the program failed.
bool print_relations(const report_request& asked, std::FILE* out, const char* what) {
  const std::optional<fs::path> program = program_to_run();
  if (!program) return false;
  const std::string problem = print_report(*program, asked, out);
  if (!problem.empty())
    print_message(fmt::format("no {}: {}{}", what, problem,
                              chosen_program().empty() ? "" : " (SYNCMETER_REPORT names it)"));
  return problem.empty();
}

}  // namespace

std::optional<fs::path> find_report(const fs::path& beside) { return find_program(beside, name); }

std::string print_report(const fs::path& program, const report_request& asked, std::FILE* out,
                         milliseconds at_most) {
  std::vector<std::string> words{program.string(), "text", asked.file};
  if (asked.wide) words.push_back("--wide");
  if (!asked.point.empty())
    words = {program.string(), "claims", asked.file, "--point", asked.point};
  return run_program(words, out, at_most).problem;
}

int add_comparison(const std::string& file, const std::vector<std::string>& options,
                   bool keeps_file, std::FILE* out) {
  constexpr int most_statuses = 4;  // of `compare`; a shell has others
  const std::optional<fs::path> program = program_to_run();
  program_end end;
  if (program) {
    std::vector<std::string> words{program->string(), "compare", file};
    words.insert(words.end(), options.begin(), options.end());
    end = run_program(words, out, std::chrono::minutes(10));
  } else {
    end.problem = fmt::format("there is no {} here", name);
  }
  if (end.status && *end.status < most_statuses) {
    std::fputs(printable(end.errors.text(), true).c_str(), stderr);
    if (!end.errors.text().empty()) std::fputc('\n', stderr);
    return *end.status;
  }
  std::fprintf(stderr, "syncmeter: no comparison: %s%s\n", end.problem.c_str(),
               keeps_file ? fmt::format("; '{}' is complete, and this judges it, where Python is "
                                        "3.11 or newer: {} compare {}",
                                        printable(file), name, shell_word(file))
                                .c_str()
                          : "");
  return 2;
}

bool print_sections(const report_request& asked, std::FILE* out) {
  const bool printed = print_relations(asked, out, "ratios, sizes and verdicts");
  if (printed) std::fputc('\n', out);
  return printed;
}

void print_places(const report_request& asked, bool has_sections, std::FILE* out) {
  if (!program_to_run() && chosen_program() != "off")
    std::fputs(printable(report_hint(asked.file), true).c_str(), out);
  fmt::print(out, "\nResults: {}\n{}", printable(asked.file),
             has_sections ? printable(page_command(asked.file), true) : "");
}

report_end add_conclusions(const std::string& file, const std::vector<std::string>& options,
                           bool has_gate) {
  constexpr int gate_passes = 0, above_limit = 1, not_judged = 3;
  const std::optional<fs::path> program = program_to_run();
  if (!program)
    return {.problem = fmt::format("there is no {} here{}", name,
                                   chosen_program().empty() ? "" : " (SYNCMETER_REPORT)")};
  std::vector<std::string> words{program->string(), "advise", file};
  words.insert(words.end(), options.begin(), options.end());
  const program_end end = run_program(words, stderr, std::chrono::minutes(10));
  const bool is_of_gate = has_gate && (end.status == above_limit || end.status == not_judged);
  if (end.status != gate_passes && !is_of_gate) return {.problem = end.problem};
  std::fputs(printable(end.errors.text(), true).c_str(), stderr);
  if (!end.errors.text().empty()) std::fputc('\n', stderr);
  return {.status = end.status};
}

int become_report(const std::vector<std::string>& words) {
  constexpr int cannot_run = 2;
  // "off" leaves the text of `run` and `show` out.
  const bool is_off = chosen_program() == "off";
  const std::optional<fs::path> program = is_off ? find_report(own_folder()) : program_to_run();
  if (!program) {
    print_message(fmt::format("{}: needs {}, which is not here; install Python 3.11 or newer, then "
                              "`pip install syncmeter`, or use scripts/run in a checkout",
                              words.front(), name));
    return cannot_run;
  }
  std::vector<std::string> all{program->string()};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  ::execv(argv.front(), argv.data());
  print_message(fmt::format("{}: {} cannot be started: {}", words.front(), all.front(),
                            std::generic_category().message(errno)));
  return cannot_run;
}

void add_claims(const report_request& asked, std::FILE* out) {
  if (!program_to_run()) return;
  std::fputc('\n', out);
  (void)print_relations(asked, out, "claims");
}

}  // namespace syncmeter

#include "driver/commands/commands.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/find_workers.hpp"
#include "driver/workers/worker_check.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

struct check_worker_request {
  double patience_s = 0;
  bool all = false, help = false;
};

std::vector<option_row> rows_of(check_worker_request& request) {
  return {
      help_row(request.help),
      switch_row("all",
                 "measure every entry of its capabilities (default: the first of each operation)",
                 request.all),
      value_row("patience", "TIME",
                "wait so long for each answer, as in 2s (default: what the protocol allows)",
                request.patience_s, [](const std::string& option, const std::string& text) {
                  return parse_seconds(option, text);
                })};
}

/// Returns a path as given, or finds a worker by its name in the driver's folders.
std::string program_named(const std::string& word) {
  if (word.find('/') != std::string::npos) {
    if (is_program(word)) return word;
    throw usage_error(
        fmt::format("check-worker: {} is not a program that can be run", quote(word)));
  }
  for (const fs::path& folder : folders_of_workers()) {
    for (const std::string& name : {word, std::string(worker_prefix) + word})
      if (name.starts_with(worker_prefix) && is_program(folder / name)) return folder / name;
  }
  throw usage_error(fmt::format("check-worker: there is no worker {} beside the driver or on PATH; "
                                "a program elsewhere is named with its folder, as in ./syncmeter-x",
                                quote(word)));
}

void print(std::FILE* out, const std::string& head, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences)
    fmt::print(out, "{}{}\n", head, printable(sentence));
}

std::string check_worker_notes() {
  return "FILE is a program, or the name of a worker. It is asked all that `run` would ask, in "
         "short, and sent requests that it has to refuse; each fault is a line. The protocol is "
         "docs/reference/worker-protocol.md.\n";
}

int check_worker_command(const std::vector<std::string>& arguments, std::FILE* out) {
  check_worker_request request;
  const std::vector<option_row> rows = rows_of(request);
  const std::vector<std::string> words = parse_command_line(arguments, rows, 1);
  if (request.help) {
    fmt::print(out,
               "Usage: syncmeter check-worker FILE [options]\n{}\n{}\nExit status: 0 no fault was "
               "found, 1 some were, 2 a wrong command line.\n",
               wrapped(check_worker_notes(), 0) + '\n', options_text(rows));
    return 0;
  }
  if (words.empty())
    throw usage_error("check-worker: no program given, as in syncmeter check-worker ./syncmeter-x");
  const std::chrono::milliseconds patience(std::llround(request.patience_s * 1e3));
  const worker_check found = check_worker(
      {.path = program_named(words.front()), .every_entry = request.all, .patience = patience});
  print(out, "ok     ", found.held);
  print(out, "-      ", found.untried);
  print(out, "FAULT  ", found.faults);
  fmt::print(out, "\n{}\n",
             found.faults.empty()       ? "No fault was found."
             : found.faults.size() == 1 ? "1 fault."
                                        : fmt::format("{} faults.", found.faults.size()));
  return found.faults.empty() ? 0 : 1;
}

}  // namespace

command check_worker_row() {
  return {.name = "check-worker",
          .purpose = "checks a worker of your own, prints a line for each fault",
          .options = unread_rows<check_worker_request>(rows_of),
          .run = alone(check_worker_command),
          .word = "FILE",
          .notes = check_worker_notes()};
}

}  // namespace syncmeter

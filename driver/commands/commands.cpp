#include "driver/commands/commands.hpp"

#include "driver/ab/ab_options.hpp"
#include "driver/commands/ab_command.hpp"
#include "driver/commands/census_command.hpp"
#include "driver/commands/check_worker_command.hpp"
#include "driver/explain/explain_command.hpp"
#include "driver/plan/options.hpp"
#include "driver/show/show_command.hpp"

namespace syncmeter {
namespace {

/// Most commands need not know how the driver was called.
auto alone(int (*command)(const std::vector<std::string>&, std::FILE*)) {
  return [command](const std::string&, const std::vector<std::string>& arguments, std::FILE* out) {
    return command(arguments, out);
  };
}

}  // namespace

const std::vector<command>& commands() {
  static const std::vector<command> all{
      {.name = "run",
       .purpose = "measure a study (default: quick) and print a table",
       .options = run_command_rows(),
       .run = &run_command,
       .notes = "Separate the elements of a LIST by commas, without spaces. " + report_notes()},
      {.name = "ab",
       .purpose = "two builds side by side: what got slower",
       .options = ab_rows(),
       .run = &ab_command,
       .word = "A B",
       .notes = ab_notes()},
      {.name = "list",
       .purpose = "the ops of each backend, and why others are not supported",
       .options = list_rows(),
       .run = alone(&list_command)},
      {.name = "topology",
       .purpose = "packages, caches, cores, and where lanes are placed",
       .options = topology_rows(),
       .run = alone(&topology_command)},
      {.name = "show",
       .purpose = "print a results file as a table",
       .options = show_command_rows(),
       .run = alone(&show_command),
       .word = "FILE",
       .notes = report_notes()},
      {.name = "explain",
       .purpose = "all that is known of one point of a results file",
       .options = explain_rows(),
       .run = alone(&explain_command),
       .word = "POINT FILE",
       .notes = explain_notes()},
      {.name = "census",
       .purpose = "what every op compiled to, checked against its declaration",
       .options = census_rows(),
       .run = alone(&census_command),
       .word = "[diff A B]",
       .words = {"diff"},
       .notes = census_notes()},
      {.name = "check-worker",
       .purpose = "what a worker of your own does wrong, a line for each fault",
       .options = check_worker_rows(),
       .run = alone(&check_worker_command),
       .word = "FILE",
       .notes = check_worker_notes()},
      {.name = "completion",
       .purpose = "a script that completes these words in a shell",
       .options = completion_rows(),
       .run = alone(&completion_command),
       .word = "SHELL",
       .words = shells(),
       .notes = completion_notes()},
      {.name = "manual",
       .purpose = "the manual page, for `man -l`",
       .options = manual_rows(),
       .run = alone(&manual_command)},
  };
  return all;
}

}  // namespace syncmeter

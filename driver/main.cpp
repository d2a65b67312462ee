// The `syncmeter` driver: the first word says what to do, the rest belongs to it.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "driver/census/census_command.hpp"
#include "driver/commands/list_command.hpp"
#include "driver/commands/run_command.hpp"
#include "driver/plan/options.hpp"
#include "driver/show/show_command.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/topology/topology_command.hpp"

namespace {

constexpr const char* help =
    "syncmeter measures what synchronization primitives cost on this machine.\n"
    "\n"
    "  syncmeter run [options]   measure a study (default: quick) and print a table\n"
    "  syncmeter list            the ops of each backend, and why others are not supported\n"
    "  syncmeter topology        packages, caches, cores, and where lanes are placed\n"
    "  syncmeter show FILE       print a results file as a table\n"
    "  syncmeter census          what every op compiled to, checked against its declaration\n"
    "  syncmeter --help          print this; each sub-command has its own --help\n"
    "  syncmeter --version       print the version\n"
    "\n"
    "Exit status: 0 success, 1 a point or a command failed, 2 wrong usage.\n";

int dispatch(const std::string& program, const std::vector<std::string>& words) {
  using namespace syncmeter;
  if (words.empty())
    throw usage_error(
        "no command given; use syncmeter run, list, topology, show, census or --help");
  const std::string& command = words.front();
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (command == "run") return run_command(program, rest, stdout);
  if (command == "list") return list_command(rest, stdout);
  if (command == "topology") return topology_command(rest, stdout);
  if (command == "show") return show_command(rest, stdout);
  if (command == "census") return census_command(rest, stdout);
  if (command == "--help" || command == "-h") return std::fputs(help, stdout) < 0 ? 1 : 0;
  if (command == "--version") return std::puts("syncmeter " SM_VERSION) < 0 ? 1 : 0;
  throw usage_error(
      unknown_name("syncmeter", "sub-command", command,
                   {"run", "list", "topology", "show", "census", "--help", "--version"}));
}

// One line, whatever control characters the user's words hold.
int fail(std::string what, int exit_status) {
  for (char& c : what) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  std::fprintf(stderr, "syncmeter: %s\n", what.c_str());
  return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int exit_status = dispatch(argv[0], {argv + 1, argv + argc});
    // A full disk must not look like success.
    if (std::fflush(stdout) != 0) return fail("standard output cannot be written", 1);
    return exit_status;
  } catch (const syncmeter::usage_error& error) {
    return fail(error.what(), 2);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}

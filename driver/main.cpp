// The `syncmeter` driver: the first word says what to do, the rest belongs to it.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/commands/commands.hpp"
#include "driver/text/quote.hpp"
#include "driver/text/unknown_name.hpp"
#include "driver/text/usage_error.hpp"
#include "driver/workers/own_process.hpp"

namespace {

std::string help() {
  std::string text = fmt::format("syncmeter {}.\n\n", syncmeter::program_purpose);
  const auto line = [&](const std::string& words, std::string_view purpose) {
    text += fmt::format("  syncmeter {:<18} {}\n", words, purpose);
  };
  for (const syncmeter::command& c : syncmeter::commands())
    line(c.word.empty() ? c.name : c.name + " " + c.word, c.purpose);
  line("--help", "print this; each command has its own --help");
  line("--version", "print the version");
  return text + "\nExit status: " + syncmeter::exit_statuses + "\n";
}

int dispatch(const std::string& program, const std::vector<std::string>& words) {
  using namespace syncmeter;
  std::vector<std::string> known;
  for (const command& c : commands()) known.push_back(c.name);
  if (words.empty())
    throw usage_error(fmt::format("no command given; use syncmeter {} or --help", join(known)));
  const std::string& name = words.front();
  for (const command& c : commands()) {
    if (c.name == name) return c.run(program, {words.begin() + 1, words.end()}, stdout);
  }
  if (name == "--help" || name == "-h") return std::fputs(help().c_str(), stdout) < 0 ? 1 : 0;
  if (name == "--version") return std::puts("syncmeter " SM_VERSION) < 0 ? 1 : 0;
  known.insert(known.end(), {"--help", "--version"});
  throw usage_error(unknown_name("syncmeter", "command", name, known));
}

// One line, whatever control characters the user's words hold.
int fail(const std::string& what, int exit_status) {
  std::fprintf(stderr, "syncmeter: %s\n", syncmeter::printable(what).c_str());
  return exit_status;
}

int run(const std::string& program, const std::vector<std::string>& words) {
  try {
    const int exit_status = dispatch(program, words);
    // A full disk must not look like success.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return fail("standard output cannot be written", 1);
    return exit_status;
  } catch (const syncmeter::usage_error& error) {
    return fail(error.what(), 2);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  syncmeter::open_standard_streams();
  syncmeter::hear_of_children();
  const syncmeter::descendants all_of_ours;
  return run(argv[0], {argv + 1, argv + argc});
}

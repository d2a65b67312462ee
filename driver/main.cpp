// The `syncmeter` driver: the first word says what to do, the rest belongs to it.
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "driver/commands/commands.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/start_program.hpp"

namespace {

std::string help() {
  using syncmeter::usual_width, syncmeter::wrapped;
  constexpr std::size_t help_column = 31;
  std::string text = fmt::format("syncmeter {}.\n\n", syncmeter::program_purpose);
  const auto line = [&](const std::string& words, std::string_view purpose) {
    text += fmt::format("  syncmeter {:<18} {}\n", words,
                        wrapped(std::string(purpose), help_column, usual_width));
  };
  for (const syncmeter::command& c : syncmeter::commands())
    line(c.word.empty() ? c.name : c.name + " " + c.word, c.purpose);
  line("--help, help", "print this; each command has its own --help");
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
  for (const command& c : commands())
    if (c.name == name) return c.run(program, {words.begin() + 1, words.end()}, stdout);
  if (name == "help" && words.size() > 1) return dispatch(program, {words[1], "--help"});
  if (name == "--help" || name == "-h" || name == "help")
    return std::fputs(help().c_str(), stdout) < 0 ? 1 : 0;
  if (name == "--version") return std::puts("syncmeter " SM_VERSION) < 0 ? 1 : 0;
  known.insert(known.end(), {"--help", "--version"});
  throw usage_error(unknown_name("command line", "command", name, known, "syncmeter --help"));
}

int fail(const std::string& what, int exit_status) {
  syncmeter::print_message(what);
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
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}

// For what no catch sees: the standard library may not throw everywhere. Takes no memory.
[[noreturn]] void end_in_words() {
  const char* what = "an error within a library; memory may be short";
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  for (const char* part : {"syncmeter: ", what, "\n"}) [[maybe_unused]]
    const ssize_t written = ::write(STDERR_FILENO, part, std::strlen(part));
  ::_exit(1);
}

// Before the constructors of our own constants, which take memory.
[[gnu::constructor(101)]] void name_the_last_error() { std::set_terminate(end_in_words); }

}  // namespace

int main(int argc, char** argv) {
  syncmeter::open_standard_streams();
  syncmeter::restore_sigchld();
  const syncmeter::descendants all_of_ours;
  return run(argv[0], {argv + 1, argv + argc});
}

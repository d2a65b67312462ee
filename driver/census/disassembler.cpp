#include "driver/census/disassembler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "driver/census/elf_symbols.hpp"

extern char** environ;

namespace syncmeter {
namespace {

/// The process and the pipe from it.
class disassembler {
 public:
  explicit disassembler(const disassembler_call& call);
  disassembler(const disassembler&) = delete;
  disassembler& operator=(const disassembler&) = delete;
  ~disassembler();

  void read_lines(const line_sink& sink);
  /// Waits for the end. Throws disassembly_error when it did not succeed.
  void check_success();

 private:
  struct close_file {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[nodiscard]] std::string complaint() const;

  std::string name_, path_;
  std::unique_ptr<std::FILE, close_file> complaints_;
  std::unique_ptr<std::FILE, close_file> text_;
  pid_t child_ = -1;
};

/// The environment with messages in English and a fixed format.
std::vector<char*> plain_environment() {
  static char locale[] = "LC_ALL=C";
  std::vector<char*> variables{locale};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("LC_ALL=")) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  return variables;
}

disassembler::disassembler(const disassembler_call& call)
    : name_(call.arguments.front().substr(call.arguments.front().rfind('/') + 1)), path_(call.path),
      complaints_(std::tmpfile()) {
  std::array<int, 2> ends{};
  if (complaints_ == nullptr || pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw disassembly_error(fmt::format("cannot start {}: {}", name_, std::strerror(errno)));
  }
  text_.reset(fdopen(ends[0], "r"));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(complaints_.get()), STDERR_FILENO);
  if (!call.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, call.folder.c_str());
  std::vector<std::string> arguments = call.arguments;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::vector<char*> variables = plain_environment();
  const int error =
      posix_spawnp(&child_, argv.front(), &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) return;
  child_ = -1;
  if (error == ENOENT)
    throw disassembly_error(fmt::format("{} not found, {}", name_, call.install));
  throw disassembly_error(fmt::format("cannot start {}: {}", name_, std::strerror(error)));
}

disassembler::~disassembler() {
  text_.reset();  // before the wait: it ends a program that still writes
  if (child_ > 0) waitpid(child_, nullptr, 0);
}

void disassembler::read_lines(const line_sink& sink) {
  char* line = nullptr;
  std::size_t capacity = 0;
  ssize_t length = 0;
  try {
    while ((length = getline(&line, &capacity, text_.get())) >= 0) {
      const auto size = static_cast<std::size_t>(length);
      sink({line, size > 0 && line[size - 1] == '\n' ? size - 1 : size});
    }
  } catch (...) {
    std::free(line);
    throw;
  }
  std::free(line);
}

/// The first line it complained with, but rather the one that says "fatal": warnings come before.
std::string disassembler::complaint() const {
  std::string first;
  std::array<char, 400> said{};
  std::rewind(complaints_.get());
  while (std::fgets(said.data(), said.size(), complaints_.get()) != nullptr) {
    const std::string line(said.data(), std::strcspn(said.data(), "\n"));
    if (line.find("fatal") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "it gave no reason" : first;
}

void disassembler::check_success() {
  int outcome = 0;
  const pid_t waited = waitpid(std::exchange(child_, -1), &outcome, 0);
  if (waited > 0 && WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0) return;
  throw disassembly_error(
      fmt::format("{} could not disassemble {}: {}", name_, path_, complaint()));
}

}  // namespace

void read_lines_of(const disassembler_call& call, const line_sink& sink) {
  disassembler process(call);
  process.read_lines(sink);
  process.check_success();
}

}  // namespace syncmeter

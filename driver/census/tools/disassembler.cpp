#include "driver/census/tools/disassembler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "driver/text/line_reader.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/find_workers.hpp"

extern char** environ;

namespace syncmeter {
namespace {

/// Returns the environment with LC_ALL=C, for English messages in a fixed format.
std::vector<char*> plain_environment() {
  static char locale[] = "LC_ALL=C";
  std::vector<char*> variables{locale};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("LC_ALL=")) variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// A running disassembler with its output and error output.
class disassembler {
 public:
  disassembler(const disassembler_call& call, const std::string& name);
  disassembler(const disassembler&) = delete;
  disassembler& operator=(const disassembler&) = delete;
  ~disassembler() { (void)succeeded(); }

  unique_fd text;
  std::unique_ptr<std::FILE, close_file> complaints{std::tmpfile()};
  /// Waits for the program's end.
  bool succeeded() {
    text.reset();  // ends a program that still writes
    int outcome = 0;
    return child_ > 0 && waitpid(std::exchange(child_, -1), &outcome, 0) > 0 && outcome == 0;
  }

 private:
  pid_t child_ = -1;
};

disassembler::disassembler(const disassembler_call& call, const std::string& name) {
  std::array<int, 2> ends{};
  if (complaints == nullptr || pipe2(ends.data(), O_CLOEXEC) != 0)
    throw disassembly_error(fmt::format("cannot start {}: {}", name, std::strerror(errno)));
  text.reset(ends[0]);
  const unique_fd printed(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, printed.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(complaints.get()), STDERR_FILENO);
  if (!call.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, call.folder.c_str());
  std::vector<std::string> arguments = call.arguments;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  // posix_spawnp would run a program from the current folder if PATH has an empty part.
  const std::string path = program_on_path(call.arguments.front()).value_or("").string();
  const int error = path.empty() ? ENOENT
                                 : posix_spawn(&child_, path.c_str(), &actions, nullptr,
                                               argv.data(), plain_environment().data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) throw disassembly_error(fmt::format("{} not found, {}", name, call.install));
  if (error != 0)
    throw disassembly_error(fmt::format("cannot start {}: {}", name, std::strerror(error)));
}

/// Returns the first error line, or the line with "fatal" because warnings may come first.
std::string main_line(std::FILE* complaints) {
  std::string first;
  std::array<char, 400> buffer{};
  std::rewind(complaints);
  while (std::fgets(buffer.data(), buffer.size(), complaints) != nullptr) {
    const std::string line(buffer.data(), std::strcspn(buffer.data(), "\n"));
    if (line.find("fatal") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "it gave no reason" : first;
}

bool is_prefix(std::string_view word) {
  static constexpr std::array<std::string_view, 20> words{
      "lock", "rep", "repz", "repe", "repnz", "repne",   "data16",   "addr32",   "cs",    "ds",
      "es",   "fs",  "gs",   "ss",   "bnd",   "notrack", "xacquire", "xrelease", "{vex}", "{evex}"};
  return contains(words, word) || word.starts_with("rex");
}

/// Cuts "<name>" off the end of `text` and returns the name.
std::string_view cut_name(std::string_view& text) {
  if (!text.ends_with('>')) return {};
  const auto open = text.find('<');
  if (open == std::string_view::npos) return {};
  const std::string_view name = text.substr(open + 1, text.size() - open - 2);
  text = trimmed(text.substr(0, open));
  return name;
}

}  // namespace

void read_lines_of(const disassembler_call& call, const line_sink& sink) {
  const std::string& program = call.arguments.front();
  const std::string name = program.substr(program.rfind('/') + 1);
  disassembler process(call, name);
  line_reader lines;
  for (bool ended = false; !ended;) {
    ended = lines.read_from(process.text.get()) == read_outcome::end;
    while (const auto line = lines.next()) sink(*line);
  }
  if (!lines.waiting().empty()) sink(lines.waiting());
  if (!process.succeeded())
    throw disassembly_error(fmt::format("{} could not read {}: {}", name, call.path,
                                        main_line(process.complaints.get())));
}

std::optional<instruction> parse_instruction(std::string_view line) {
  if (line.empty() || line.front() != ' ') return std::nullopt;
  const auto colon = line.find(":\t");
  if (colon == std::string_view::npos) return std::nullopt;
  const auto address = parse_hex(trimmed(line.substr(0, colon)));
  std::string_view text = trimmed(line.substr(colon + 2));
  if (!address || text.empty()) return std::nullopt;

  instruction parsed;
  parsed.address = *address;
  std::string_view word = next_word(text);
  while (is_prefix(word) && !text.empty()) {
    parsed.prefixes += parsed.prefixes.empty() ? "" : " ";
    parsed.prefixes += word;
    word = next_word(text);
  }
  parsed.mnemonic = word;
  // x86 comments begin with '#', AArch64 comments with "//", because '#' marks an AArch64 constant.
  // A comment like "# 3fd0 <GOMP_barrier@GOMP_1.0>" names an indirect call target or a variable.
  std::string_view comment;
  if (const auto hash = text.find("# "); hash != std::string_view::npos) {
    comment = trimmed(text.substr(hash + 1));
    text = trimmed(text.substr(0, hash));
  } else if (const auto slashes = text.find("//"); slashes != std::string_view::npos) {
    text = trimmed(text.substr(0, slashes));
  }
  parsed.target = cut_name(text);
  if (!parsed.target.empty())
    parsed.target_address = parse_hex(text.substr(text.find_last_of(", \t") + 1));
  else if (!comment.empty()) {
    parsed.target = cut_name(comment);
    parsed.data_address = parse_hex(trimmed(comment));
  }
  parsed.operands = text;
  return parsed;
}

disassembly_reader::disassembly_reader(std::vector<code_range> ranges, code_sink sink)
    : ranges_(std::move(ranges)), sink_(std::move(sink)) {
  // Sorts the largest size first at each address. The largest range gets the code. Smaller ranges
  // and empty functions get nothing.
  std::ranges::sort(ranges_, [](const code_range& a, const code_range& b) {
    return a.first != b.first ? a.first < b.first : a.size > b.size;
  });
}

void disassembly_reader::hand_over() {
  if (!body_.empty()) sink_(ranges_[current_], body_);
  body_.clear();
  ++current_;
}

void disassembly_reader::add_line(std::string_view line) {
  if (current_ == ranges_.size()) return;
  auto parsed = parse_instruction(line);
  if (!parsed) return;
  while (current_ < ranges_.size() &&
         parsed->address - ranges_[current_].first >= ranges_[current_].size &&
         parsed->address >= ranges_[current_].first) {
    hand_over();
  }
  if (current_ == ranges_.size() || parsed->address < ranges_[current_].first) return;
  body_.push_back(std::move(*parsed));
}

void disassembly_reader::finish() {
  if (current_ < ranges_.size()) hand_over();
  current_ = ranges_.size();
}

std::string objdump_for(enum machine m) {
#if defined(__x86_64__)
  constexpr auto here = machine::x86_64;
#elif defined(__aarch64__)
  constexpr auto here = machine::aarch64;
#else
  constexpr auto here = machine::other;
#endif
  if (m == here || m == machine::other || m == machine::sass) return "objdump";
  return fmt::format("{}-linux-gnu-objdump", m == machine::x86_64 ? "x86_64" : to_text(m));
}

void disassemble(const std::string& path, enum machine m, std::vector<code_range> ranges,
                 const code_sink& sink) {
  if (ranges.empty()) return;
  std::uint64_t first = ranges.front().first;
  std::uint64_t last = 0;
  for (const code_range& range : ranges) {
    first = std::min(first, range.first);
    last = std::max(last, range.first + range.size);
  }
  disassembly_reader reader(std::move(ranges), sink);
  const std::string program = objdump_for(m);
  read_lines_of({.arguments = {program, "-d", "--no-show-raw-insn",
                               fmt::format("--start-address={:#x}", first),
                               fmt::format("--stop-address={:#x}", last), "--", path},
                 .path = path,
                 .install = m == machine::riscv64 || m == machine::aarch64
                                ? fmt::format("install binutils or, for another machine's code, "
                                              "binutils-{}-linux-gnu",
                                              to_text(m))
                                : "install binutils"},
                [&](std::string_view line) { reader.add_line(line); });
  reader.finish();
}

}  // namespace syncmeter

#include "driver/advise/report.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/advise/advise.hpp"
#include "driver/workers/find_workers.hpp"
#include "driver/workers/start_program.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* report_name = "syncmeter-report";

/// A file for the package, removed at the end.
class temporary_file {
 public:
  temporary_file() : path_((fs::temp_directory_path() / "syncmeter-advise-XXXXXX.jsonl").string()) {
    constexpr int suffix_length = 6;  // of ".jsonl"
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

}  // namespace

std::string find_report() {
  if (fs::path beside = own_folder() / report_name; is_program(beside)) return beside;
  return program_on_path(report_name).value_or("");
}

report_outcome print_report(const std::vector<nlohmann::json>& lines,
                            const std::vector<std::string>& options) {
  const std::string program = find_report();
  if (program.empty())
    return {.problem = "syncmeter-report (the Python package) is neither beside syncmeter nor on "
                       "PATH"};
  const temporary_file file;
  std::ofstream out(file.path());
  for (const nlohmann::json& line : lines) out << line.dump() << '\n';
  out.close();
  if (!out) throw std::runtime_error(fmt::format("{} cannot be written", file.path()));
  std::vector<std::string> words{program, "advise", file.path()};
  words.insert(words.end(), options.begin(), options.end());
  const finished_program done =
      run_in_our_place(program, words, {}, {STDIN_FILENO, STDERR_FILENO, STDERR_FILENO});
  constexpr int gate_passes = 0, above_limit = 1, not_judged = 3;
  report_outcome outcome{.interrupted_by = done.interrupted_by};
  const int status = WIFEXITED(done.wait_status) ? WEXITSTATUS(done.wait_status) : -1;
  const bool is_gate = std::ranges::any_of(
      options, [](const std::string& each) { return each.starts_with("--fail-above"); });
  if (status == gate_passes || (is_gate && (status == above_limit || status == not_judged)))
    outcome.gate = status;
  else outcome.problem = fmt::format("{} ended with {}", program, ending_text(done.wait_status));
  return outcome;
}

}  // namespace syncmeter

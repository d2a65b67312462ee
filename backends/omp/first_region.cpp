#include "backends/omp/first_region.hpp"

#include <omp.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

namespace syncmeter::omp {
namespace {

constexpr std::string_view asked_for = "--first-region";

int exit_status_of(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

int entered_in_new_process(unsigned threads) {
  std::string program = "/proc/self/exe", option{asked_for}, number = std::to_string(threads);
  char* const arguments[]{program.data(), option.data(), number.data(), nullptr};
  pid_t process = 0;
  if (::posix_spawn(&process, program.data(), nullptr, nullptr, arguments, environ) != 0) return -1;
  return exit_status_of(process);
}

std::optional<int> as_new_process(int argc, char** argv) {
  if (argc != 3 || argv[1] != asked_for) return std::nullopt;
  int threads = 0;
  std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), threads);
  unsigned entered = 0;
  if (threads > 0) {
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads) reduction(+ : entered)
    ++entered;
  }
  return static_cast<int>(entered % exit_values);
}

}  // namespace syncmeter::omp

#include "core/machine/trial.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>

#include <fmt/format.h>

namespace syncmeter {

std::string failed_trial(const std::function<void()>& work, std::chrono::seconds at_most) {
  const pid_t child = ::fork();
  if (child < 0) return {};  // then without a trial
  if (child == 0) {
    // What it would say of its end is said by the parent.
    if (const int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0)
      ::dup2(nowhere, STDERR_FILENO);
    for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM}) ::signal(number, SIG_DFL);
    ::alarm(static_cast<unsigned>(at_most.count()));
    try {
      work();
    } catch (const std::exception&) {
      // An error that is told: the parent meets it again.
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return {};
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fmt::format("it took longer than {} s", at_most.count());
  return status == 0 ? std::string{} : std::string("it crashed");
}

}  // namespace syncmeter

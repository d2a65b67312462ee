#include "driver/workers/own_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace syncmeter {
namespace {

using namespace std::chrono_literals;

std::vector<pid_t> children() {
  std::ifstream in(fmt::format("/proc/self/task/{}/children", ::getpid()));
  std::vector<pid_t> found;
  for (pid_t pid = 0; in >> pid;) found.push_back(pid);
  return found;
}

}  // namespace

void open_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest that is free, which is this one.
    (void)::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

void hear_of_children() { ::signal(SIGCHLD, SIG_DFL); }

descendants::descendants()
    : adopted_(children().empty() && ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0) {}

descendants::~descendants() {
  try {
    end_all();
  } catch (const std::exception&) {
    // Out of memory: workers die with us, what they started is not looked for.
  }
}

void descendants::end_all() const {
  if (!adopted_) return;
  // Each one may leave children of its own; none should take long to die of SIGKILL.
  for (int look = 0; look < 200; ++look) {
    const std::vector<pid_t> left = children();
    if (left.empty()) return;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(look == 0 ? 1ms : 10ms);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

}  // namespace syncmeter

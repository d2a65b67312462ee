#include "driver/workers/process_tree.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "core/machine/read_file.hpp"

namespace syncmeter {
namespace {

void add_children(pid_t process, std::set<pid_t>& to) {
  std::error_code error;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), error), end;
  for (; !error && thread != end; thread.increment(error)) {
    std::istringstream in(read_file(thread->path() / "children").bytes);
    for (pid_t pid = 0; in >> pid;)
      if (to.insert(pid).second) add_children(pid, to);
  }
}

}  // namespace

std::set<pid_t> descendants_of(pid_t process) {
  std::set<pid_t> found;
  add_children(process, found);
  return found;
}

void end_new_descendants(const std::set<pid_t>& before) {
  using namespace std::chrono_literals;
  // Each process may leave children. None should take long to die from SIGKILL.
  for (int look = 0; look < 200; ++look) {
    const std::set<pid_t> now = descendants_of(::getpid());
    std::set<pid_t> left;
    std::ranges::set_difference(now, before, std::inserter(left, left.end()));
    if (left.empty()) return;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(look == 0 ? 1ms : 10ms);
    for (const pid_t pid : left) (void)::waitpid(pid, nullptr, WNOHANG);
  }
}

}  // namespace syncmeter

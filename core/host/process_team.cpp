#include "core/host/process_team.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <string_view>

#include "core/host/thread_team.hpp"

namespace syncmeter {
namespace {

volatile sig_atomic_t may_end = 1;  // whether the end of a lane is expected

void notice_death(int) {
  if (may_end != 0) return;
  constexpr std::string_view said = "a process that was a lane died: it was killed, or crashed\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, said.data(), said.size());
  ::_exit(1);
}

// It lives no longer than who leads it, whose pipes to the driver it lets go of.
void become_lane(pid_t leading) {
  ::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != leading) ::_exit(1);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
}

}  // namespace

process_team::process_team(wait_policy waiting) : spins_{spins_before_sleep(waiting)} {}

process_team::~process_team() { release(); }

void process_team::serve(unsigned lane, std::uint32_t past) {
  for (; board_.next_region(past, spins_); ++past) {
    board_.run_body(lane);
    board_.end_region();
  }
  ::_exit(0);
}

bool process_team::start(unsigned lanes) {
  release();
  struct sigaction action{};
  action.sa_handler = &notice_death;
  action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  ::sigaction(SIGCHLD, &action, nullptr);
  const pid_t leading = ::getpid();
  const std::uint32_t past = board_.regions.load();
  others_.reserve(lanes - 1);
  may_end = 0;
  for (unsigned lane = 1; lane < lanes; ++lane) {
    const pid_t other = ::fork();
    if (other == 0) {
      become_lane(leading);
      serve(lane, past);
    }
    if (other < 0) {
      release();
      return false;
    }
    others_.push_back(other);
  }
  return true;
}

bool process_team::run(unsigned lanes, lane_body body, bench& rig) {
  assert(lanes >= 1);
  if (others_.size() + 1 != lanes && !start(lanes)) return false;
  board_.begin(lanes - 1, body, &rig);
  board_.run_body(0);
  while (const auto left = board_.running.load()) board_.running.wait_while(left, spins_);
  board_.throw_problem();
  return true;
}

void process_team::release() {
  may_end = 1;
  board_.begin(0, nullptr, nullptr);
  for (const pid_t other : others_) {
    while (::waitpid(other, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  others_.clear();
}

}  // namespace syncmeter

#include "core/host/teams.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/ops/spun_work.hpp"

namespace syncmeter {
namespace {

volatile sig_atomic_t may_end = 1;  // whether the end of a lane is expected

// What has been answered is whole; what would be measured without that lane is not measured.
[[noreturn]] void report_death() {
  constexpr std::string_view why = "a process of the team died: it was killed, or crashed\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, why.data(), why.size());
  ::_exit(1);
}

void notice_death(int) {
  if (may_end == 0) report_death();
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

wait_policy wait_policy_here() {
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  return from_text<wait_policy>(policy != nullptr ? policy : "").value_or(wait_policy::passive);
}

unsigned spins_before_sleep(wait_policy waiting) {
  return waiting == wait_policy::active ? 20000 : 0;
}

void have_had_a_second_thread() {
  std::thread([] {}).join();
}

thread_team::thread_team(wait_policy waiting) : spins_{spins_before_sleep(waiting)} {}

thread_team::~thread_team() { release(); }

void thread_team::wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t old) const {
  for (unsigned spin = 0; spin < spins_; ++spin) {
    if (word.load(std::memory_order_acquire) != old) return;
    spin_pause();
  }
  word.wait(old, std::memory_order_acquire);
}

void thread_team::run_lane(unsigned lane) {
  try {
    (*body_)(lane);
  } catch (...) {
    thrown_[lane] = std::current_exception();
  }
}

void thread_team::serve(unsigned lane, std::uint32_t past) {
  for (;; ++past) {
    wait_while(regions_, past);
    if (body_ == nullptr) return;
    run_lane(lane);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

bool thread_team::start(unsigned lanes) {
  release();
  const auto past = regions_.load(std::memory_order_relaxed);
  try {
    threads_.reserve(lanes - 1);
    for (unsigned lane = 1; lane < lanes; ++lane)
      threads_.emplace_back(&thread_team::serve, this, lane, past);
  } catch (const std::system_error&) {
    release();
    return false;
  }
  return true;
}

bool thread_team::run(unsigned lanes, const region& body) {
  assert(lanes >= 1);
  if (threads_.size() + 1 != lanes && !start(lanes)) return false;
  body_ = &body;
  thrown_.assign(lanes, nullptr);
  running_.store(lanes - 1, std::memory_order_relaxed);
  regions_.fetch_add(1, std::memory_order_release);
  regions_.notify_all();
  run_lane(0);
  while (const auto left = running_.load(std::memory_order_acquire)) wait_while(running_, left);
  for (auto& error : thrown_) {
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
  }
  return true;
}

void thread_team::release() {
  body_ = nullptr;
  regions_.fetch_add(1, std::memory_order_release);
  regions_.notify_all();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void shared_word::wake_all() {
  ::syscall(SYS_futex, &word_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void shared_word::wait_while(std::uint32_t old, unsigned spins, void (*between_looks)()) {
  constexpr timespec for_now{.tv_sec = 0, .tv_nsec = 1'000'000};
  const timespec* const limit = between_looks != nullptr ? &for_now : nullptr;
  for (unsigned spin = 0; load() == old; ++spin) {
    if (between_looks != nullptr) between_looks();
    if (spin < spins) spin_pause();
    else ::syscall(SYS_futex, &word_, FUTEX_WAIT, old, limit, nullptr, 0);
  }
}

void process_board::begin(unsigned others, lane_body next, bench* on) {
  body = next;
  rig = on;
  problem.fill('\0');
  running.store(others);
  regions.add(1);
  regions.wake_all();
}

void process_board::throw_problem() const {
  if (problem.front() != '\0') throw std::runtime_error(problem.data());
}

bool process_board::next_region(std::uint32_t past, unsigned spins) {
  regions.wait_while(past, spins);
  return body != nullptr;
}

void process_board::run_body(unsigned lane) {
  try {
    body(*rig, lane);
  } catch (const std::exception& e) {
    std::strncpy(problem.data(), e.what(), problem.size() - 1);
  }
}

void process_board::end_region() {
  if (running.add(-1U) == 1) running.wake_all();
}

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
  bool all_ended = true;
  for (const pid_t other : others_) {
    int status = 0;
    while (::waitpid(other, &status, 0) < 0 && errno == EINTR) {
    }
    all_ended = all_ended && status == 0;
  }
  others_.clear();
  if (!all_ended) report_death();  // one that was killed before it could end by itself
}

}  // namespace syncmeter

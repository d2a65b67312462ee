#include "driver/campaign/interrupt.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace syncmeter {
namespace {

constexpr std::array<int, 3> caught_signals{SIGINT, SIGTERM, SIGHUP};

// What a signal handler touches has to outlive every object and be lock-free.
std::atomic<int> seen{0};
std::atomic<int> first{0};
std::array<int, 2> wake_up{-1, -1};
std::array<struct sigaction, caught_signals.size()> before{};
static_assert(std::atomic<int>::is_always_lock_free);

void count(int number) {
  const int error = errno;
  const int before_this = seen.fetch_add(1);
  if (before_this == 0) first = number;
  if (before_this == 1) {
    [[maybe_unused]] const ssize_t written = ::write(wake_up[1], "!", 1);
    for (std::size_t i = 0; i < caught_signals.size(); ++i) {
      if (before[i].sa_handler != SIG_IGN) ::signal(caught_signals[i], SIG_DFL);
    }
  }
  errno = error;
}

}  // namespace

interrupt_watch::interrupt_watch() {
  if (::pipe2(wake_up.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::runtime_error(fmt::format("cannot watch for Ctrl-C: {}", std::strerror(errno)));
  }
  seen = 0;
  first = 0;
  for (std::size_t i = 0; i < caught_signals.size(); ++i) {
    struct sigaction action{};
    action.sa_handler = count;
    action.sa_flags = SA_RESTART;
    ::sigaction(caught_signals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) ::sigaction(caught_signals[i], &action, nullptr);
  }
}

interrupt_watch::~interrupt_watch() {
  for (std::size_t i = 0; i < caught_signals.size(); ++i)
    ::sigaction(caught_signals[i], &before[i], nullptr);
  for (int& end : wake_up) {
    ::close(end);
    end = -1;
  }
}

bool interrupt_watch::requested() const { return seen > 0; }
int interrupt_watch::first_signal() const { return first; }
bool interrupt_watch::urgent() const { return seen > 1; }
int interrupt_watch::urgent_fd() const { return wake_up[0]; }

}  // namespace syncmeter

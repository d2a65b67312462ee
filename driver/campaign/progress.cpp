#include "driver/campaign/progress.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "driver/text/columns.hpp"
#include "driver/text/line_reader.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

constexpr auto shortest_between_draws = std::chrono::milliseconds{100};

constexpr std::array<int, 3> caught_signals{SIGINT, SIGTERM, SIGHUP};

// A signal handler's data must outlive every object and be lock-free.
std::atomic<int> signals_caught{0};
std::atomic<int> first{0};
std::array<int, 2> wake_up{-1, -1};
std::array<struct sigaction, caught_signals.size()> before{};
static_assert(std::atomic<int>::is_always_lock_free);

void count(int number) {
  const int error = errno;
  const int before_this = signals_caught.fetch_add(1);
  if (before_this == 0) first = number;
  if (before_this == 1) {
    [[maybe_unused]] const ssize_t written = ::write(wake_up[1], "!", 1);
    for (std::size_t i = 0; i < caught_signals.size(); ++i)
      if (before[i].sa_handler != SIG_IGN) ::signal(caught_signals[i], SIG_DFL);
  }
  errno = error;
}

}  // namespace

std::string as_clock(std::chrono::seconds time) {
  const auto all = std::max<long long>(time.count(), 0);
  const auto hours = all / 3600, minutes = all / 60 % 60, seconds = all % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, seconds);
  return fmt::format("{}:{:02}", minutes, seconds);
}

progress::progress(int fd) : progress(fd, ::isatty(fd) == 1) {}
progress::progress(int fd, bool terminal) : fd_(fd), terminal_(terminal) {}
progress::~progress() { clear(); }

// Ignores errors, because a missing reader is no reason to end a campaign.
void progress::write(const std::string& text) const { (void)write_all(fd_, text); }

void progress::show(std::size_t done, std::size_t total, double left_s, std::string_view op,
                    clock::time_point now) {
  const std::string left = as_clock(std::chrono::seconds(std::llround(left_s)));
  if (!started_) {
    started_ = true;
    last_tenth_ = total == 0 ? 0 : done * 10 / total;
  }
  const std::size_t percent = total == 0 ? 100 : done * 100 / total;
  if (terminal_) {
    if (drawn_ && now - last_draw_ < shortest_between_draws) return;
    std::string line = fmt::format("{}/{} repetitions ({} %, ETA {})  {}", done, total, percent,
                                   left, printable(op));
    // A line that wraps cannot be drawn over.
    const std::size_t width = terminal_width(fd_);
    line.resize(std::min(line.size(), (width == 0 ? usual_width : width) - 1));
    write('\r' + line + "\x1b[K");
    drawn_ = true;
    last_draw_ = now;
    return;
  }
  const std::size_t tenth = total == 0 ? 10 : done * 10 / total;
  if (tenth <= last_tenth_) return;
  last_tenth_ = tenth;
  write(fmt::format("{} of {} repetitions ({} %, ETA {})\n", done, total, percent, left));
}

void progress::correct(double whole_s) {
  if (!terminal_) note(fmt::format("the run takes about {:.0f} s", std::ceil(whole_s)));
}

void progress::show_step(std::string_view text) {
  if (!terminal_) return;
  write(fmt::format("\rsyncmeter: {} ...\x1b[K", text));
  drawn_ = true;
}

void progress::note(std::string_view text) {
  clear();
  write(message_text(text, terminal_width(fd_)));
}

void progress::clear() {
  if (!drawn_) return;
  write("\r\x1b[K");
  drawn_ = false;
}

interrupt_watch::interrupt_watch() {
  if (::pipe2(wake_up.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::runtime_error(fmt::format("cannot watch for Ctrl-C: {}", std::strerror(errno)));
  signals_caught = 0;
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

bool interrupt_watch::requested() const { return signals_caught > 0; }
int interrupt_watch::first_signal() const { return first; }
int interrupt_watch::urgent_fd() const { return wake_up[0]; }

}  // namespace syncmeter

#include "driver/campaign/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

constexpr auto shortest_between_draws = std::chrono::milliseconds{100};

std::size_t columns_of(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
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

void progress::write(const std::string& text) const {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads: not a reason to end a campaign
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string progress::remaining(std::size_t done, std::size_t total, clock::time_point now) {
  if (done <= done_at_start_) return "";
  const double each = std::chrono::duration<double>(now - start_).count() /
                      static_cast<double>(done - done_at_start_);
  const double left = each * static_cast<double>(total - std::min(done, total));
  return ", ETA " + as_clock(std::chrono::seconds(static_cast<long long>(left + 0.5)));
}

void progress::show(std::size_t done, std::size_t total, std::string_view op,
                    clock::time_point now) {
  if (!started_) {
    started_ = true;
    start_ = now;
    done_at_start_ = done;
    last_tenth_ = total == 0 ? 0 : done * 10 / total;
  }
  const std::size_t percent = total == 0 ? 100 : done * 100 / total;
  if (terminal_) {
    if (drawn_ && now - last_draw_ < shortest_between_draws) return;
    std::string line = fmt::format("{}/{} visits ({} %{})  {}", done, total, percent,
                                   remaining(done, total, now), printable(op));
    // A line that wraps could not be drawn over.
    line.resize(std::min(line.size(), columns_of(fd_) - 1));
    write('\r' + line + "\x1b[K");
    drawn_ = true;
    last_draw_ = now;
    return;
  }
  const std::size_t tenth = total == 0 ? 10 : done * 10 / total;
  if (tenth <= last_tenth_) return;
  last_tenth_ = tenth;
  write(
      fmt::format("{} of {} visits ({} %{})\n", done, total, percent, remaining(done, total, now)));
}

void progress::show_step(std::string_view text) {
  if (!terminal_) return;
  write(fmt::format("\rsyncmeter: {} ...\x1b[K", text));
  drawn_ = true;
}

void progress::note(std::string_view text) {
  clear();
  write(fmt::format("syncmeter: {}\n", printable(text)));
}

void progress::clear() {
  if (!drawn_) return;
  write("\r\x1b[K");
  drawn_ = false;
}

}  // namespace syncmeter

// Shows a campaign's progress on standard error, only when called between visits, because terminal
// output must not disturb a measurement. Also counts Ctrl-C: the first ends the campaign after the
// current visit, the second at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace syncmeter {

/// Returns a remaining time as "0:42" or "1:02:03".
[[nodiscard]] std::string as_clock(std::chrono::seconds time);

class progress {
 public:
  using clock = std::chrono::steady_clock;

  /// Writes to `fd`: on a terminal one line that is drawn over, elsewhere a plain line every tenth
  /// of the way.
  explicit progress(int fd);
  progress(int fd, bool terminal);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  /// Shows that `done` of `total` visits are measured, the others take `left_s`, and `op` is next.
  /// Draws at most ten times a second.
  void show(std::size_t done, std::size_t total, double left_s, std::string_view op,
            clock::time_point now = clock::now());
  /// Reports how long the whole campaign takes, if not on a terminal. On a terminal the drawn line
  /// has this time.
  void correct(double whole_s);
  /// Shows a slow step before the first visit. The text stays on a terminal until the next line,
  /// and is not written elsewhere, because a mistake prints only one line there.
  void show_step(std::string_view text);
  /// Writes a line that stays.
  void note(std::string_view text);
  /// Removes the drawn line.
  void clear();

 private:
  void write(const std::string& text) const;

  int fd_;
  bool terminal_;
  bool drawn_ = false;
  bool started_ = false;
  clock::time_point last_draw_{};
  std::size_t last_tenth_ = 0;
};

/// Counts SIGINT, SIGTERM and SIGHUP while it lives, except signals ignored before. After the
/// second, a third ends the driver as usual. At most one object lives at a time, because signal
/// handlers belong to the process.
class interrupt_watch {
 public:
  /// Throws std::runtime_error with the system's message.
  interrupt_watch();
  interrupt_watch(const interrupt_watch&) = delete;
  interrupt_watch& operator=(const interrupt_watch&) = delete;
  ~interrupt_watch();

  /// Returns true after the first signal: end after the current visit.
  [[nodiscard]] bool requested() const;
  /// Returns the first signal's number, or 0.
  [[nodiscard]] int first_signal() const;
  /// Returns a descriptor for poll() that becomes readable with the second signal: end now.
  [[nodiscard]] int urgent_fd() const;
};

}  // namespace syncmeter

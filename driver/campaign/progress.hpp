// How far the campaign is, on standard error: it writes only when it is called, and it is called
// between visits only, since what a terminal does with a line must not fall into a measurement. And
// Ctrl-C: the first one asks the campaign to end after the current visit, the second one at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace syncmeter {

/// What remains, as "0:42" or "1:02:03".
[[nodiscard]] std::string as_clock(std::chrono::seconds time);

class progress {
 public:
  using clock = std::chrono::steady_clock;

  /// `fd` is where it writes; on a terminal one line that is drawn over, elsewhere a plain line
  /// every tenth of the way.
  explicit progress(int fd);
  progress(int fd, bool terminal);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  /// `done` of `total` visits are measured, the others take `left_s`, `op` is next. Draws at most
  /// ten times a second.
  void show(std::size_t done, std::size_t total, double left_s, std::string_view op,
            clock::time_point now = clock::now());
  /// Says off a terminal how long the whole campaign takes. On a terminal the drawn line says it.
  void correct(double whole_s);
  /// What takes a while, before there are visits to count: on a terminal until the next line,
  /// elsewhere not at all: there a mistake is one line.
  void show_step(std::string_view text);
  /// A line that stays.
  void note(std::string_view text);
  /// Takes the drawn line away.
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

/// While it lives, SIGINT, SIGTERM and SIGHUP are counted instead of ending the driver, but for
/// those that were ignored when it came. After the second, a third ends the driver as usual. At
/// most one lives at a time: signal handlers belong to the process.
class interrupt_watch {
 public:
  /// Throws std::runtime_error with the system's message.
  interrupt_watch();
  interrupt_watch(const interrupt_watch&) = delete;
  interrupt_watch& operator=(const interrupt_watch&) = delete;
  ~interrupt_watch();

  /// True after the first: end after the current visit.
  [[nodiscard]] bool requested() const;
  /// Its number; 0 before.
  [[nodiscard]] int first_signal() const;
  /// Becomes readable with the second, for poll(): end now.
  [[nodiscard]] int urgent_fd() const;
};

}  // namespace syncmeter

// Ctrl-C: the first one asks the campaign to end after the current visit, the second one at once.
#pragma once

namespace syncmeter {

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
  /// True after the second: end now.
  [[nodiscard]] bool urgent() const;
  /// Becomes readable with the second, for poll().
  [[nodiscard]] int urgent_fd() const;
};

}  // namespace syncmeter

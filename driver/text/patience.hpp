// A deadline that a stopped process does not miss.
#pragma once

#include <algorithm>
#include <chrono>

namespace syncmeter {

/// How much is left of a time, in steps: when far more than a step has passed since the last look,
/// this process, and what it waits for, stood still (SIGSTOP, a laptop's lid), and one step counts.
class patience {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds step{1000};
  /// Between two looks, beyond what was to be waited for.
  static constexpr std::chrono::milliseconds usual_delay{1000};

  explicit patience(std::chrono::nanoseconds time, clock::time_point now = clock::now())
      : left_(time), looked_(now) {}

  /// How long to wait until the next look; 0 when the time is over.
  [[nodiscard]] std::chrono::nanoseconds look(clock::time_point now = clock::now()) {
    const std::chrono::nanoseconds passed = now - looked_;
    looked_ = now;
    left_ -= passed > step + usual_delay ? std::chrono::nanoseconds{step} : passed;
    left_ = std::max(left_, std::chrono::nanoseconds{0});
    return std::min<std::chrono::nanoseconds>(left_, step);
  }
  [[nodiscard]] bool over(clock::time_point now = clock::now()) { return look(now).count() == 0; }

 private:
  std::chrono::nanoseconds left_;
  clock::time_point looked_;
};

}  // namespace syncmeter

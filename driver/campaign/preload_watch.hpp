// Checks whether a preloaded library reaches the processes that do a program's work. A static
// program, or a process with another environment, runs without the library.
#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "driver/text/line_reader.hpp"

namespace syncmeter {

/// Inspects the processes of one run, from another thread and many times a second. Not for a timed
/// run.
class preload_watch {
 public:
  /// Watches the preloads and swaps in the settings (NAME=VALUE), if any.
  explicit preload_watch(const std::vector<std::string>& settings);

  /// Returns additional settings for the program's start.
  [[nodiscard]] const std::vector<std::string>& more_settings() const { return more_settings_; }

  /// Returns, after the program's end, why the library was not in effect, in words that follow a
  /// colon. Empty if it was or the effect is unknown.
  [[nodiscard]] std::string why_not_in_effect();

 private:
  void look();
  void take_library(const std::string& names);
  [[nodiscard]] std::string why_not_loaded() const;
  [[nodiscard]] std::string why_not_called() const;

  std::string library_;  ///< the kernel's name, or empty if nothing is watched
  bool swaps_barriers_ = false;
  unique_fd counts_;  ///< none: no calls are swapped
  std::vector<std::string> more_settings_;
  std::set<pid_t> before_;
  std::map<pid_t, double> seen_s_;
  double with_s_ = 0;
  std::map<std::string, double> without_s_;  ///< by process name
  std::jthread thread_;
};

}  // namespace syncmeter

// Whether a library that a program is started with comes to the processes that do its work: one
// that is static, or is started with another environment, runs as without it.
#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "driver/text/line_reader.hpp"

namespace syncmeter {

/// Looks at the processes of one run, from another thread and many times a second: not of one
/// that is timed.
class preload_watch {
 public:
  /// For what these settings (NAME=VALUE) preload and swap; where that is nothing, nothing is
  /// watched.
  explicit preload_watch(const std::vector<std::string>& settings);

  /// What the program must be started with besides.
  [[nodiscard]] const std::vector<std::string>& more_settings() const { return more_settings_; }

  /// To be asked when the program has ended: why the library was not in effect, in words that
  /// follow a colon; empty where it was, or nothing is known.
  [[nodiscard]] std::string why_not_in_effect();

 private:
  void look();
  void take_library(const std::string& names);
  [[nodiscard]] std::string why_not_loaded() const;
  [[nodiscard]] std::string why_not_called() const;

  std::string library_;  ///< as the kernel names it; empty: nothing is watched
  bool swaps_barriers_ = false;
  unique_fd counts_;  ///< none: no calls are swapped
  std::vector<std::string> more_settings_;
  std::set<pid_t> before_;
  std::map<pid_t, double> seen_s_;
  double with_s_ = 0;
  std::map<std::string, double> without_s_;  ///< by the name of the process
  std::jthread thread_;
};

}  // namespace syncmeter

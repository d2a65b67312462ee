// What a worker does wrong (docs/worker-protocol.md), for its author: it gets every request that
// the driver makes, by the driver's own code, and some that no worker should die of.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace syncmeter {

struct worker_check_settings {
  std::string path;
  bool every_entry = false;  ///< measures each entry of its capabilities, not the first of each op
  std::chrono::milliseconds patience{0};  ///< in place of the protocol's deadlines; 0: those
};

struct worker_check {
  std::vector<std::string> held;     ///< what it did right, a sentence for each part
  std::vector<std::string> faults;   ///< a sentence for each
  std::vector<std::string> untried;  ///< what was not asked for, and why
};

/// Never throws for what the worker does.
[[nodiscard]] worker_check check_worker(const worker_check_settings& how);

}  // namespace syncmeter

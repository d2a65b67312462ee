// Checks a worker against docs/reference/worker-protocol.md for its author. The worker gets every
// request that the driver sends, by the driver's code, and invalid requests that no worker should
// die from.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace syncmeter {

struct worker_check_settings {
  std::string path;
  bool every_entry = false;  ///< measures each capability entry, not only the first for each op
  std::chrono::milliseconds patience{0};  ///< replaces the protocol's deadlines, 0 = keep
};

struct worker_check {
  std::vector<std::string> held;     ///< passed parts, a sentence for each
  std::vector<std::string> faults;   ///< a sentence for each
  std::vector<std::string> untried;  ///< skipped parts with the reason
};

/// Checks the worker at `how.path`. Never throws for the worker's behavior.
[[nodiscard]] worker_check check_worker(const worker_check_settings& how);

}  // namespace syncmeter

// The Python package, which concludes from the file of advise and prints the result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter {

/// Returns the path of `syncmeter-report`, beside the driver or on PATH, or an empty path.
[[nodiscard]] std::string find_report();

/// How the package ended.
struct report_outcome {
  std::string problem{};      ///< why nothing was concluded, half a sentence; empty: it was
  std::optional<int> gate{};  ///< exit status for --fail-above
  int interrupted_by = 0;     ///< a signal that asked us to end meanwhile; 0: none
};

/// Writes the lines to a file of its own, and lets the package print its conclusions on standard
/// error. `options` go to `syncmeter-report advise`. Throws std::runtime_error if the
/// file cannot be written.
[[nodiscard]] report_outcome print_report(const std::vector<nlohmann::json>& lines,
                                          const std::vector<std::string>& options);

}  // namespace syncmeter

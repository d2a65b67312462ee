// The sub-commands: the one table that the driver's --help, the completion of shells and the manual
// page are made from.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"

namespace syncmeter {

struct command {
  std::string name;
  std::string purpose;  ///< in half a line
  std::vector<option_row> options;
  /// `program` is how the driver was called, `arguments` what stands behind the name. Returns the
  /// exit status; throws usage_error.
  std::function<int(const std::string& program, const std::vector<std::string>& arguments,
                    std::FILE* out)>
      run;
  std::string word{};                ///< what it takes beside options: "FILE"; empty: nothing
  std::vector<std::string> words{};  ///< what that can be, where it is no file
  std::string notes{};               ///< more on it, in the manual page
};

/// In the order of --help.
[[nodiscard]] const std::vector<command>& commands();

/// What the driver does, in half a line.
inline constexpr const char* program_purpose =
    "measures what synchronization primitives cost on this machine";

}  // namespace syncmeter

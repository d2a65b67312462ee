// What a program's file says before it runs: whether a library can be preloaded into it, and what
// of its synchronization will not be seen.
#pragma once

#include <string>
#include <vector>

namespace syncmeter {

struct program_file {
  std::string path;                      ///< absolute
  std::string interpreter{};             ///< what loads it and its libraries; empty: a script
  std::string build_id{};                ///< in hexadecimal; empty: none
  std::vector<std::string> runtimes{};   ///< of OpenMP, that it is linked with: "libgomp.so.1"
  bool takes_schedule = false;           ///< of a loop, from OMP_SCHEDULE when it runs
  std::vector<std::string> notes{};      ///< a sentence each: what of it cannot be counted
  std::vector<std::string> uncounted{};  ///< the same in a few words: "its Go code"
};

/// Looks a command up as a shell would, and into its file. Throws usage_error with the reason where
/// nothing of it can be counted: no such program, static, of another C library or word size, one
/// whose sanitizer must be loaded first.
[[nodiscard]] program_file look_at_program(const std::string& command);

/// The same of a file of any kind that is not run: a program or a library. Throws usage_error where
/// it is neither.
[[nodiscard]] program_file look_at_code(const std::string& path);

}  // namespace syncmeter

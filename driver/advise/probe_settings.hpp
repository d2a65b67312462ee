// How a program is started under the probe, and where its counts go.
#pragma once

#include <list>
#include <string>
#include <vector>

#include "driver/advise/counts.hpp"
#include "driver/workers/ending_signals.hpp"

namespace syncmeter {

/// Folders for the files of one run's processes, in memory if it has room; removed with their
/// owner.
class counts_folder {
 public:
  /// Makes a folder in each file system that may have room. Throws std::runtime_error with a reason
  /// for each if there is none.
  counts_folder();
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  /// Returns the NAME=VALUE by which the probe finds the folders.
  [[nodiscard]] std::vector<std::string> settings() const;

 private:
  std::list<temporary_folder> folders_;  ///< at most one in a file system
  std::vector<std::string> paths_;       ///< of these, those with most room first
};

/// Throws std::runtime_error with the build command if the probe is missing.
void require_probe();

/// What CUDA's driver loads into a program; a user's own stays.
inline constexpr const char* injection_variable = "CUDA_INJECTION64_PATH";

/// What Kokkos loads into a program as a library of tools, one alone; a user's own stays.
inline constexpr const char* kokkos_tools_variable = "KOKKOS_TOOLS_LIBS";
/// Whether the environment has this variable, and not empty.
[[nodiscard]] bool has_variable(const char* name);
/// Whether the environment has one, by this or the older name: nullptr, or the name.
[[nodiscard]] const char* kokkos_tools_set();

/// NAME=VALUE of its environment, where one event in `every` is timed ("meetings,others"; "0":
/// none). Throws std::runtime_error where there is no probe.
[[nodiscard]] std::vector<std::string> settings_of_probe(const counts_folder& folder,
                                                         const std::string& every);

/// Of a run in which the time from the first call of CUDA on is taken and nothing else; empty where
/// the user has a library of his own injected.
[[nodiscard]] std::vector<std::string> settings_of_span(const counts_folder& folder);

/// Of how many events one is timed, so that stamps stay below 2 % of the time: of those that
/// threads meet at, and of the others, which are drawn by chance.
[[nodiscard]] std::string timed_every(const std::vector<site>& sites, double wall_s);

}  // namespace syncmeter

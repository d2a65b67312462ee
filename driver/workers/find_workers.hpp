// Finds programs and workers beside the driver and on PATH. Lists the backends and shared ops of
// this project.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "driver/workers/worker_info.hpp"
#include "driver/workers/worker_process.hpp"

namespace syncmeter {

/// A backend with a worker in this project, and its install hint, from the manifest
/// backends/NAME/backend.cmake.
struct known_backend {
  std::string name, install;
  bool when_named = false;  ///< used only if --backend names the backend or no other can be used: a
                            ///< backend that builds everywhere must not prolong every study
  bool several = false;     ///< its worker has backends with this name as prefix
};
[[nodiscard]] const std::vector<known_backend>& known_backends();

/// Returns whether this machine can build the backend's worker: by the driver's build, or by
/// `syncmeter build` with sources from pip.
[[nodiscard]] bool can_be_built(const std::string& backend);

/// Returns "not built" with the command that builds the backends. In a clone the command is
/// scripts/run with `words_of_run`.
[[nodiscard]] std::string not_built_text(const std::vector<std::string>& backends,
                                         const std::string& words_of_run);

/// Return names that are known without asking a worker. Workers may add names.
[[nodiscard]] std::vector<std::string> known_backend_names();
[[nodiscard]] std::vector<std::string> shared_op_names();
/// Returns whether any worker of this project has a CPU op with this name.
[[nodiscard]] bool is_own_op(const std::string& name);
/// Returns whether a worker of this project has this backend.
[[nodiscard]] bool is_own_backend(const std::string& name);

/// Prefix of every worker's program name.
inline constexpr std::string_view worker_prefix = "syncmeter-";

/// Returns whether the path is an executable file.
[[nodiscard]] bool is_program(const std::filesystem::path& path);

/// Returns the folder of this program, or an empty path if the system does not report the folder.
[[nodiscard]] std::filesystem::path own_folder();

/// Returns the absolute folders of PATH, in order. Relative entries are skipped because results
/// would depend on the current folder.
[[nodiscard]] std::vector<std::filesystem::path> folders_on_path();

/// Returns a program's path: first from the absolute folders on PATH, then from more folders. A
/// name with a slash is a path already.
[[nodiscard]] std::optional<std::filesystem::path>
program_on_path(const std::string& name,
                const std::vector<std::filesystem::path>& more_folders = {});

/// Returns the search folders for workers: this program's folders, then PATH.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_workers();

/// Finds `syncmeter-*` workers (not syncmeter-report) and asks each for its capabilities. Searches
/// beside the driver, in its installation, in the cache of `syncmeter build` and on PATH. If
/// several workers have a backend, the driver's own worker serves the backend.
/// A backend in `wanted` without a worker becomes a worker_info with a problem. Never throws for a
/// worker's behavior.
[[nodiscard]] std::vector<worker_info> find_workers(const std::vector<std::string>& wanted,
                                                    const worker_deadlines& deadlines = {});

/// Asks the workers of one build in the same way, with `settings` (NAME=VALUE) in the environment.
/// `path` is a program, a folder with workers, or an installation. Returns nothing if no worker is
/// there.
[[nodiscard]] std::vector<worker_info> workers_at(const std::string& path,
                                                  const std::vector<std::string>& settings = {},
                                                  const worker_deadlines& deadlines = {});

}  // namespace syncmeter

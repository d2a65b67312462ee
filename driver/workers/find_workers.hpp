// Where programs lie beside the driver and on PATH, and the workers among them; the backends and
// the shared ops of this project.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "driver/workers/worker_info.hpp"
#include "driver/workers/worker_process.hpp"

namespace syncmeter {

/// Backends that this project has workers for, and what a machine without one has to install, by
/// their manifests: backends/NAME/backend.cmake.
struct known_backend {
  std::string name, install;
  bool when_named = false;  ///< --backend must name it where another can be used: what is built
                            ///< everywhere must not make every study longer
  bool several = false;     ///< its worker has backends whose names begin with it
};
[[nodiscard]] const std::vector<known_backend>& known_backends();

/// Whether the worker of this backend can be made here: by this program's own build, which found
/// what it needs, or by `syncmeter build` of what pip installed, which has its sources.
[[nodiscard]] bool can_be_built(const std::string& backend);

/// "not built; `COMMAND` builds it": of backends that can be built. In a clone the command is
/// scripts/run with these words.
[[nodiscard]] std::string not_built_text(const std::vector<std::string>& backends,
                                         const std::string& words_of_run);

/// Names that are known without asking a worker; workers may add others.
[[nodiscard]] std::vector<std::string> known_backend_names();
[[nodiscard]] std::vector<std::string> shared_op_names();
/// Whether this project has an op of that name for CPUs, whichever worker it is of.
[[nodiscard]] bool is_own_op(const std::string& name);
/// Whether it has a worker with that backend.
[[nodiscard]] bool is_own_backend(const std::string& name);

/// A worker is a program of this name and its own.
inline constexpr std::string_view worker_prefix = "syncmeter-";

/// A file that can be run.
[[nodiscard]] bool is_program(const std::filesystem::path& path);

/// The folder of this program; empty where the system does not say where that is.
[[nodiscard]] std::filesystem::path own_folder();

/// The absolute folders of PATH, in order. A relative entry would make what is found depend on
/// where the driver is called.
[[nodiscard]] std::vector<std::filesystem::path> folders_on_path();

/// Returns a program's path: first from the absolute folders on PATH, then from more folders.
/// A name with a slash is a path already.
[[nodiscard]] std::optional<std::filesystem::path>
program_on_path(const std::string& name,
                const std::vector<std::filesystem::path>& more_folders = {});

/// Where workers are looked for: this program's own folders of them, then PATH.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_workers();

/// Workers beside the driver, in its installation's folder of workers, in the cache of `syncmeter
/// build` and on PATH, `syncmeter-*` (not syncmeter-report), each asked for its capabilities.
/// `wanted` names backends that must be looked for; a missing one becomes a worker_info with a
/// problem. Of several workers with one backend the driver's own has it. Never throws for what a
/// worker does.
[[nodiscard]] std::vector<worker_info> find_workers(const std::vector<std::string>& wanted,
                                                    const worker_deadlines& deadlines = {});

/// The workers of one build, asked likewise: `path` is a program, or a folder that holds them or an
/// installation of them, asked with these NAME=VALUE in their environment. Empty where there are
/// none.
[[nodiscard]] std::vector<worker_info> workers_at(const std::string& path,
                                                  const std::vector<std::string>& settings = {},
                                                  const worker_deadlines& deadlines = {});

}  // namespace syncmeter

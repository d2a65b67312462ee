// The backends and the shared ops of this project.
#pragma once

#include <string>
#include <vector>

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

/// Names that are known without asking a worker; workers may add others.
[[nodiscard]] std::vector<std::string> known_backend_names();
[[nodiscard]] std::vector<std::string> shared_op_names();
/// Whether this project has an op of that name for CPUs, whichever worker it is of.
[[nodiscard]] bool is_own_op(const std::string& name);
/// Whether it has a worker with that backend.
[[nodiscard]] bool is_own_backend(const std::string& name);

}  // namespace syncmeter

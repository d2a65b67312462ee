// The census of GPU code: the kernels in the cubins that a worker's program carries, and every
// entry judged on every architecture.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/census/census.hpp"
#include "driver/census/sass_code.hpp"

namespace syncmeter {

/// True when the entry's loops are GPU kernels: it declares for "sass" or for an architecture, or
/// it names symbols without hashes of their code. On the host those symbols are launch stubs, which
/// prove nothing.
[[nodiscard]] bool is_gpu_code(const capability& what);

/// Hands over the kernels of a program that the names ask for. Throws disassembly_error.
using sass_source =
    std::function<void(const std::string& path, const kernel_names& names, const sass_sink& sink)>;

/// The entries' census, in their order. An entry with several architectures gets the worst of their
/// verdicts and its counts. Never throws for what the program is.
[[nodiscard]] std::vector<census_entry>
take_sass_census(const std::string& path, const std::vector<const capability*>& entries,
                 const sass_source& source = read_sass, bool with_lines = false);

}  // namespace syncmeter

// The census of GPU code: the kernels in the cubins that a worker's program carries, one run of
// cuobjdump, and every entry judged on every architecture.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/census/census.hpp"
#include "driver/census/disassembler.hpp"

namespace syncmeter {

/// True when the entry's loops are GPU kernels: it declares for "sass" or for an architecture, or
/// it names symbols without hashes of their code. On the host those symbols are launch stubs, which
/// prove nothing.
[[nodiscard]] bool is_gpu_code(const capability& what);

/// Prints `cuobjdump -sass` of a program, or of those functions alone where there are names. Throws
/// disassembly_error.
using sass_source = std::function<void(const std::string& path, const std::set<std::string>& names,
                                       const line_sink& sink)>;

/// Runs cuobjdump, looked for on PATH, in $CUDA_HOME/bin and in /usr/local/cuda/bin.
void run_cuobjdump(const std::string& path, const std::set<std::string>& names,
                   const line_sink& sink);

/// The entries' census, in their order. An entry with several architectures gets the worst of their
/// verdicts and its counts. Never throws for what the program is.
[[nodiscard]] std::vector<census_entry>
take_sass_census(const std::string& path, const std::vector<const capability*>& entries,
                 const sass_source& source = run_cuobjdump, bool with_lines = false);

}  // namespace syncmeter

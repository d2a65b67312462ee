// The census of a whole program: its symbols, a run of each disassembler that it takes, and every
// entry judged; and the census kept beside the worker, since it takes seconds, on a GPU's code a
// minute, and the code does not change until the worker is built again.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "driver/census/rule/census.hpp"
#include "driver/census/tools/cuda_tools.hpp"
#include "driver/workers/worker_info.hpp"

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

/// The census of one worker's supported entries, with one run of objdump for the host's code and
/// some of the CUDA toolkit's for that of GPUs, if there is any. Never throws for what the
/// program is: an unreadable one makes every entry that names symbols `not_proven`.
/// `with_lines`: with the instructions of each loop.
[[nodiscard]] std::vector<census_entry> take_census(const std::string& path,
                                                    const std::vector<capability>& entries,
                                                    bool with_lines = false);

/// Writes PATH.census.json for the worker at PATH: its build id and, for each entry that names its
/// loops, census_summary. `census` is take_census of `entries`. Returns why it could not be
/// written; empty when it was, or when there is nothing to keep.
[[nodiscard]] std::string save_census(const worker_info& worker,
                                      std::span<const capability> entries,
                                      std::span<const census_entry> census);

/// Fills capability::census of every entry from the file beside the worker; leaves it null where
/// there is no such file, or one of another build.
void read_census(worker_info& worker);

}  // namespace syncmeter

// Takes the census of a whole program: reads symbols, runs each disassembler and judges every
// entry. Keeps the census beside the worker, because a census takes seconds (a minute for GPU code)
// and stays valid until the next build.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "driver/census/rule/census.hpp"
#include "driver/census/tools/cuda_tools.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// Returns true if the entry's loops are GPU kernels: the entry declares for "sass" or an
/// architecture, or has symbols without code hashes. The host's symbols are launch stubs, which
/// prove nothing.
[[nodiscard]] bool is_gpu_code(const capability& what);

/// Passes the wanted kernels of a program to `sink`. Throws disassembly_error.
using sass_source =
    std::function<void(const std::string& path, const kernel_names& names, const sass_sink& sink)>;

/// Returns the census in the order of `entries`. An entry with several architectures gets the worst
/// verdict with its counts. Never throws for the program's contents.
[[nodiscard]] std::vector<census_entry>
take_sass_census(const std::string& path, const std::vector<const capability*>& entries,
                 const sass_source& source = read_sass, bool with_lines = false);

/// Returns the census of a worker's supported entries. Runs objdump once for host code, and CUDA
/// tools if entries have GPU code. Never throws for the program's contents: if the program is
/// unreadable, entries with symbols become `not_proven`.
/// `with_lines` adds the instructions of each loop.
[[nodiscard]] std::vector<census_entry> take_census(const std::string& path,
                                                    const std::vector<capability>& entries,
                                                    bool with_lines = false);

/// Writes PATH.census.json for the worker at PATH: its build id and census_summary for each entry
/// with loops. `census` must be take_census of `entries`. Returns why writing failed, or an empty
/// text.
[[nodiscard]] std::string save_census(const worker_info& worker,
                                      std::span<const capability> entries,
                                      std::span<const census_entry> census);

/// Fills capability::census from the file beside the worker. Keeps null if the file is missing or
/// from another build.
void read_census(worker_info& worker);

}  // namespace syncmeter

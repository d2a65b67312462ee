// The census of a worker's loops, kept beside the worker: it takes seconds, on a GPU's code a
// minute, and the code does not change until the worker is built again.
#pragma once

#include <span>

#include "driver/census/census.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

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

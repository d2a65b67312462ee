// Shows results files packed by xz or gzip: the stored measurements beside the documents. Runs
// these programs.
#pragma once

#include <string>

#include "driver/results/results.hpp"

namespace syncmeter {

/// Reads a results file, also a file named *.xz or *.gz. Throws usage_error like read_results, and
/// if xz or gzip is missing or fails.
[[nodiscard]] results_file read_results_to_show(const std::string& path);

}  // namespace syncmeter

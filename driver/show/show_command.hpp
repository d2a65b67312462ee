// `syncmeter show FILE`: a results file as the table that its run printed.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/plan/options.hpp"
#include "driver/text/output_file.hpp"

namespace syncmeter {

/// Exit status 1 when a point of the file failed, as `run` would say.
int show_command(const std::vector<std::string>& arguments, std::FILE* out);

/// The file of --csv, which is not to be one of `inputs`.
[[nodiscard]] output_file csv_file(const show_view& view, std::vector<std::string> inputs);

/// Reads, prints and, where asked, exports a results file; the end of `show` and of `run`.
int show_results(const std::string& file, const show_view& view, std::FILE* out);

}  // namespace syncmeter

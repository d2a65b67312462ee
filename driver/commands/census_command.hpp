// `syncmeter census`: what every op really compiled to, per worker, and whether that is what it
// declares. `census diff A B`: what a compiler, a flag or a library changed in the loops.
// `census read WORKER FILE`: what the ops of a worker are in a program that is built from the same
// loops for another machine, or by another compiler, and cannot be started here.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// What of the workers is looked at, and how it is shown. An empty list means: all.
struct census_options {
  std::vector<std::string> backends, ops;
  std::vector<value_type> types;
  std::vector<order> orders;
  bool wide = false;  ///< the whole table on a terminal too
  bool json = false;
  bool check = false;  ///< exit status 1 unless every entry is proven, elided or without symbols
  bool save = false;   ///< keep the census of GPU code beside its worker, for `run` and `list`
  bool help = false;
};

/// Throws usage_error naming the option, the offending text and what is allowed.
[[nodiscard]] census_options parse_census_options(const std::vector<std::string>& arguments);

/// Its options, and what it does and needs, for completion and the manual page.
[[nodiscard]] std::vector<option_row> census_rows();
[[nodiscard]] std::string census_notes();

/// Prints the census of these workers to `out` and returns the exit status: 0, or 1 with `check`
/// when an entry is wrong, not declared or not proven, a worker cannot be asked, or there was
/// nothing to check. Throws usage_error when an op or a backend named in the options is none of the
/// workers'.
[[nodiscard]] int census_of_workers(const census_options& options,
                                    const std::vector<worker_info>& workers, std::FILE* out);

/// The command: `arguments` are those after the word `census`. Finds the workers itself. `diff`
/// returns 1 where something changed, `read` where the file holds none of the worker's loops.
/// Throws usage_error.
[[nodiscard]] int census_command(const std::vector<std::string>& arguments, std::FILE* out);

}  // namespace syncmeter

// What may be gained where a kernel synchronizes in a form that is wider than it may need: by the
// code as compiled, the time that its kernels take and what both forms cost on this GPU.
#pragma once

#include <string>
#include <vector>

#include "driver/advise/device_code.hpp"
#include "driver/advise/rules.hpp"

namespace syncmeter {

/// Adds the sites in the code of those kernels that take a share of `wall_s` that is worth advice,
/// as far as the files that launch them have it; what cannot be read becomes a note. Libraries with
/// more code for GPUs than can be read in some seconds are named, too.
void add_sites_of_kernels(const std::string& program, double wall_s, device_codes& codes,
                          call_counts& timed, std::vector<std::string>& notes);

/// Gives instructions of GPUs the price of their form, on the largest grid on which this file has
/// it with a cell for each thread.
void price_instructions(const results_file& file, std::vector<site>& sites);

/// The points that price these sites: each form as compiled, and the narrower one. Grids have no
/// more blocks than run at once on so many multiprocessors.
[[nodiscard]] std::vector<point> points_of_forms(const std::vector<site>& sites,
                                                 unsigned multiprocessors);

/// One for each kernel and cause: system scope or sequential consistency, a wide fence, a
/// compare-and-swap in a loop, a barrier of the program's own. Nothing without both prices, or
/// where the narrower form costs about as much.
[[nodiscard]] std::vector<advice> advise_on_forms(const std::vector<site>& sites,
                                                  const advice_setting& setting);

}  // namespace syncmeter

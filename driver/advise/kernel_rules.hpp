// What may be gained where the threads of a kernel update one address or few, or meet at many
// barriers: by what that takes at least on this GPU.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/advise/device_code.hpp"
#include "driver/advise/rules.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// What prices kernels, as far as there is room.
struct points_in_room {
  std::vector<point> points{};
  std::vector<std::string> left_out{};  ///< the kernels whose points have no room
  std::size_t all = 0;                  ///< points of those, too
};
/// Of the updates and barriers of kernels that take a share of `wall_s` that is worth advice, on
/// this GPU. All points of a kernel or none: those at the sites that take longest come first, and
/// of one site those that update and meet most.
[[nodiscard]] points_in_room points_of_kernels(const std::vector<site>& sites,
                                               const gpu_device& gpu, double wall_s,
                                               std::size_t room);

/// Gives the kernels' updates their opcodes and lines, as far as they are in this file's code for
/// GPUs.
void find_updates_in_code(const std::string& path, device_codes& codes, std::vector<site>& sites);
void find_updates_in_code(const std::vector<site>& code, std::vector<site>& sites);

/// One for each site whose kernels cannot be faster than half the time that they take, as one
/// address of the GPU's memory is updated so often, or as they have so many updates for which
/// another way is faster, or so many barriers. Nothing without a price. Adds a sentence to `notes`
/// for each other site whose kernels take a share of the time, and that a small part of it or no
/// other way that is faster explains.
[[nodiscard]] std::vector<advice> advise_on_kernels(const std::vector<site>& sites,
                                                    const advice_setting& setting,
                                                    std::vector<std::string>& notes);

}  // namespace syncmeter

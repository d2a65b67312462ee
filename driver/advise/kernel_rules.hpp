// What may be gained where the threads of a kernel update one address: the GPU does that one after
// another, and nothing hides it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/advise/device_code.hpp"
#include "driver/advise/rules.hpp"

namespace syncmeter {

/// The adds of a float and of an integer to one address by a block of threads, which price them;
/// where no kernel updates anything none.
[[nodiscard]] std::vector<point> points_of_updates(const std::vector<site>& sites);
[[nodiscard]] bool is_price_of_update(std::string_view op);

/// Gives the kernels' updates their opcodes and lines, as far as they are in this file's code for
/// GPUs.
void find_updates_in_code(const std::string& path, device_codes& codes, std::vector<site>& sites);
void find_updates_in_code(const std::vector<site>& code, std::vector<site>& sites);

/// One for each site whose kernels cannot be faster than half the time that they take, as one
/// address of the GPU's memory is updated so often. Nothing without a price.
[[nodiscard]] std::vector<advice> advise_on_kernels(const std::vector<site>& sites,
                                                    const advice_setting& setting);

}  // namespace syncmeter

// What the GPU did for the program's calls, in a timed run: kernels, graphs and copies, and how
// long it had nothing to do before each.
#pragma once

#include <cstdint>

#include "probe/count.hpp"

namespace syncmeter::probe {

/// Has CUPTI write down what the GPU does, where the run is timed and this library can.
void start_device_times(void* cupti_library);

/// By CUPTI's number of a call, its site: so that what the GPU does for it is that site's.
void note_device_call(std::uint32_t correlation, kind what, std::uint64_t site);

}  // namespace syncmeter::probe

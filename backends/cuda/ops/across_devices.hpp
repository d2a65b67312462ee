// What the ops over several devices need of their rig.
#pragma once

#include <cstdint>

namespace syncmeter::cuda {

/// op_info::kind. counter: a barrier that adds to a peer's memory; with_host: the host is the other
/// side.
enum class across_devices : std::uint8_t { other, counter, with_host };

}  // namespace syncmeter::cuda

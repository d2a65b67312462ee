// The levels of synchronization whose points have rules of their own.
#pragma once

#include <cstdint>

namespace syncmeter::cuda {

/// op_info::kind of the ops of levels.cuh.
enum class level : std::uint8_t { other, tile, coalesced_group, software_barrier };

}  // namespace syncmeter::cuda

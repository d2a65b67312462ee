// The rings for pointer chases.
#pragma once

#include <cstdint>

namespace syncmeter::cuda {

/// The ring's length in a block's own memory, and the bytes between entries: a different bank each
/// time.
inline constexpr unsigned shared_walk_length = 128;
inline constexpr unsigned shared_walk_pitch = 132;

enum class walk : std::uint8_t { none, shared_memory, l1, l2, device };

}  // namespace syncmeter::cuda

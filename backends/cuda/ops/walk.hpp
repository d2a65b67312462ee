// Where a pointer chase finds its ring.
#pragma once

#include <cstdint>

namespace syncmeter::cuda {

enum class walk : std::uint8_t { none, shared_memory, l1, l2, device };

}  // namespace syncmeter::cuda

// What an op does with its array.
#pragma once

#include <cstdint>

namespace syncmeter::cuda {

/// op_info::kind of the ops on arrays. library_maximum: by a library, which needs memory of its
/// own.
enum class array_op : std::uint8_t { maximum, library_maximum, read, copy };

}  // namespace syncmeter::cuda

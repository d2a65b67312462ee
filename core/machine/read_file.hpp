// The bytes of a file: bounded, and without a call that is repeated for ever, as those of
// std::ifstream are where a read is always interrupted.
#pragma once

#include <cstddef>
#include <string>

namespace syncmeter {

struct file_bytes {
  std::string bytes;  ///< what was read before an error
  int error = 0;      ///< errno's value; EFBIG: the file is longer than it may be
};

/// How long a file may be: one that is no regular file may have no end.
struct file_limits {
  std::size_t regular = std::size_t{4} << 30U, other = std::size_t{256} << 20U;
};

[[nodiscard]] file_bytes read_file(const std::string& path, const file_limits& limits = {});

/// A call that is interrupted so often in a row will never do anything.
inline constexpr int most_interruptions = 1000;

}  // namespace syncmeter

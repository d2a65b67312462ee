// Ranges of numbers: those that the command line takes for lanes and blocks, and how a set of
// numbers is printed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace syncmeter {

/// One element of a --lanes list: a number, a range, or "max" (resolved when the machine is known).
struct lane_range {
  unsigned first = 1;
  unsigned last = 1;  ///< inclusive
  bool max = false;   ///< stands for the largest allowed number
  friend bool operator==(const lane_range&, const lane_range&) = default;
};

/// One element of a --blocks list: a number, a range, or a symbol that stands for a number when the
/// GPU is known.
struct block_range {
  /// sm: as many as it has multiprocessors. max: as many as run at once. beyond: one more.
  enum class symbol : std::uint8_t { none, half_sm, sm, two_sm, max, beyond };
  unsigned first = 1;
  unsigned last = 1;  ///< inclusive
  symbol named = symbol::none;
  unsigned times = 1;  ///< of what the symbol stands for; studies only, as are the next and
                       ///< `beyond`
  unsigned whole = 1;  ///< rounded down to a multiple of this
  friend bool operator==(const block_range&, const block_range&) = default;
};

/// "0-3,8": ranges of PU numbers, sorted.
[[nodiscard]] std::string as_ranges(std::vector<int> numbers);

}  // namespace syncmeter

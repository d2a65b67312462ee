// A timed loop is one step many times over: written once, with how often it stands there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace syncmeter {

struct repeated_code {
  std::size_t times = 1;
  std::vector<std::string> lines;
  friend bool operator==(const repeated_code&, const repeated_code&) = default;
};

/// The same instructions in the same order, a piece that follows itself once: of several ways the
/// one that leaves out most, and of equals the shortest piece.
[[nodiscard]] std::vector<repeated_code> folded(std::span<const std::string> lines);

}  // namespace syncmeter

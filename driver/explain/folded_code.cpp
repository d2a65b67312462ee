#include "driver/explain/folded_code.hpp"

#include <algorithm>

namespace syncmeter {
namespace {

// A step of an op that a compiler spreads over more instructions is not recognized.
constexpr std::size_t longest_step = 64;

std::size_t repeats_of(std::span<const std::string> lines, std::size_t length) {
  const auto step = lines.first(length);
  std::size_t times = 1;
  while ((times + 1) * length <= lines.size() &&
         std::ranges::equal(step, lines.subspan(times * length, length)))
    ++times;
  return times;
}

}  // namespace

std::vector<repeated_code> folded(std::span<const std::string> lines) {
  std::vector<repeated_code> code;
  bool alone = false;  // whether the last piece takes further lines
  while (!lines.empty()) {
    std::size_t length = 1, times = 1;
    for (std::size_t l = 1; l <= std::min(longest_step, lines.size() / 2); ++l) {
      const std::size_t t = repeats_of(lines, l);
      if (t > 1 && (t - 1) * l > (times - 1) * length) length = l, times = t;
    }
    const auto piece = lines.first(length);
    if (times > 1 || !alone) code.push_back({times, {piece.begin(), piece.end()}});
    else code.back().lines.push_back(piece.front());
    alone = times == 1;
    lines = lines.subspan(length * times);
  }
  return code;
}

}  // namespace syncmeter

#include "driver/text/ranges.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace syncmeter {

std::string as_ranges(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += text.empty() ? "" : ",";
    text += first == last ? fmt::format("{}", numbers[first])
                          : fmt::format("{}-{}", numbers[first], numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace syncmeter

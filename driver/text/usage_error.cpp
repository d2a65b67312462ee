#include "driver/text/usage_error.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace syncmeter {
namespace {

// Letters put in, left out, replaced, or swapped with their neighbour (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_above, above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t replaced = above[k - 1] + (a[i - 1] == b[k - 1] ? 0U : 1U);
      row[k] = std::min({replaced, above[k] + 1, row[k - 1] + 1});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        row[k] = std::min(row[k], two_above[k - 2] + 1);
      }
    }
    two_above = above;
    above = row;
  }
  return above.back();
}

}  // namespace

std::string join(const std::vector<std::string>& words, std::string_view between) {
  std::string all;
  for (const std::string& word : words) {
    if (!all.empty()) all += between;
    all += word;
  }
  return all;
}

std::optional<std::string> nearest(std::string_view text, const std::vector<std::string>& allowed) {
  std::optional<std::string> best;
  // A third of the letters may be wrong; beyond that a proposal is a guess.
  std::size_t best_distance = std::max<std::size_t>(1, text.size() / 3) + 1;
  for (const std::string& word : allowed) {
    const std::size_t distance = edit_distance(text, word);
    if (distance < best_distance) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

std::string unknown_name(std::string_view option, std::string_view what, std::string_view text,
                         const std::vector<std::string>& allowed) {
  const auto meant = nearest(text, allowed);
  const std::string proposal = meant ? fmt::format("did you mean '{}'? ", *meant) : "";
  return fmt::format("{}: unknown {} '{}'; {}allowed: {}", option, what, text, proposal,
                     join(allowed));
}

}  // namespace syncmeter

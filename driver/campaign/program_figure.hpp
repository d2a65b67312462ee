// The one number of a program's output that `--metric` names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace syncmeter {

struct program_figure {
  double value = 0;
  std::string unit{};     ///< the word behind it in its line: "us", "requests/s"; or empty
  std::string problem{};  ///< why it is none, in words that follow the program's name; else empty
};

/// The number at the beginning of text[at, at + length), by what stands around it in all of `text`,
/// as "1,234", "1:05" and "2m5s" are not read as a part of themselves. A separator that
/// the metric names, in text[match, match_end), is one between two figures: "937,12" by
/// "([0-9]+),".
[[nodiscard]] program_figure read_figure(const std::string& text, std::size_t at,
                                         std::size_t length, std::size_t match,
                                         std::size_t match_end, std::string_view metric);

}  // namespace syncmeter

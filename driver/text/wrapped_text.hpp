// Long texts in lines that fit a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace syncmeter {

inline constexpr std::size_t line_width = 100;

/// `text` after `indent` columns, broken at blanks so that lines stay within `width`; further lines
/// begin with so many blanks.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent,
                                  std::size_t width = line_width);

}  // namespace syncmeter

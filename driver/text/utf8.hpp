// UTF-8, one character at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace syncmeter {

struct utf8_character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: the text begins with no character, but with a byte of something
                          ///< else
};

/// The character that a text, which is not empty, begins with.
[[nodiscard]] utf8_character first_character(std::string_view text);

}  // namespace syncmeter

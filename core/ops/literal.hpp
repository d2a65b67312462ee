// Texts put together while compiling: the names and declarations of ops that differ by a lock or a
// scheme alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace syncmeter::ops {

/// A text as a template's argument.
template <std::size_t N> struct literal {
  char text[N];
  consteval literal(const char (&from)[N]) {
    std::copy_n(from, N, text);
  }  // NOLINT: a string is one
};

template <literal... Parts>
inline constexpr auto joined_parts = [] {
  std::array<char, (sizeof(Parts.text) + ...) - sizeof...(Parts)> all{};
  auto at = all.begin();
  ((at = std::copy_n(Parts.text, sizeof(Parts.text) - 1, at)), ...);
  return all;
}();

/// The parts, one behind the other.
template <literal... Parts>
inline constexpr std::string_view text{joined_parts<Parts...>.data(),
                                       joined_parts<Parts...>.size()};

}  // namespace syncmeter::ops

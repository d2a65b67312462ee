// Words in the text of a disassembler, for objdump's and cuobjdump's alike.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace syncmeter {

inline constexpr std::string_view blanks = " \t\r";

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Cuts the first word off `text`.
[[nodiscard]] inline std::string_view next_word(std::string_view& text) {
  const auto end = std::min(text.find_first_of(blanks), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

[[nodiscard]] inline std::string_view last_word(std::string_view text) {
  const auto blank = text.find_last_of(blanks);
  return blank == std::string_view::npos ? text : text.substr(blank + 1);
}

/// The number that all of `text` is, in hex digits without a prefix.
[[nodiscard]] inline std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

using words = std::initializer_list<std::string_view>;

[[nodiscard]] inline bool is_one_of(std::string_view word, words list) {
  return std::ranges::find(list, word) != list.end();
}

[[nodiscard]] inline bool starts_with_any(std::string_view word, words starts) {
  return std::ranges::any_of(starts, [&](std::string_view s) { return word.starts_with(s); });
}

}  // namespace syncmeter

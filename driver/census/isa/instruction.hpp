// One instruction as a disassembler prints it, the machine that it is for, and words in such text:
// for objdump and the tools of CUDA alike.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace syncmeter {

/// sass: the machine code of NVIDIA GPUs, embedded in a host's program.
enum class machine : std::uint8_t { x86_64, aarch64, riscv64, sass, other };

/// The name of a machine's instruction set, as capability::declares spells it.
[[nodiscard]] std::string_view to_text(machine m);

/// One line of objdump. On x86 the operands are in AT&T order: the destination comes last.
struct instruction {
  std::uint64_t address = 0;
  std::string prefixes;  ///< "lock", "data16 cs", ...; usually empty
  std::string mnemonic;  ///< as printed, with its size suffix
  std::string operands;  ///< without objdump's comment and without the name of a target
  std::string target;    ///< what a jump, a call or a program-relative operand names: "f@plt",
                         ///< "f+0x10"
  std::optional<std::uint64_t> target_address;  ///< where a direct jump or call goes
};

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

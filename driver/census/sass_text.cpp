#include "driver/census/sass_text.hpp"

#include <cstdlib>
#include <string>

#include "driver/census/instruction_text.hpp"

namespace syncmeter {
namespace {

bool names_a_place(std::string_view mnemonic) {
  const std::string_view opcode = mnemonic.substr(0, mnemonic.find('.'));
  return is_one_of(opcode, {"BRA", "JMP", "CALL", "BSSY", "RET"}) ||
         mnemonic.starts_with("WARPSYNC.COLLECTIVE");
}

/// Sets what the last operand says: "0x1b0", or "`(name)" for another function.
void set_target(instruction& parsed) {
  const std::string_view last = last_word(parsed.operands);
  if (last.starts_with("0x")) {
    parsed.target_address = parse_hex(last.substr(2));
  } else if (last.starts_with("`(") && last.ends_with(')')) {
    parsed.target = last.substr(2, last.size() - 3);
  }
}

}  // namespace

int architecture_number(std::string_view architecture) {
  const auto digit = architecture.find_first_of("0123456789");
  return digit == architecture.npos ? 0
                                    : std::atoi(std::string(architecture.substr(digit)).c_str());
}

std::optional<instruction> parse_sass_instruction(std::string_view line) {
  std::string_view text = trimmed(line);
  if (!text.starts_with("/*")) return std::nullopt;
  const auto closing = text.find("*/");
  const auto semicolon = text.find(';');
  if (closing == std::string_view::npos || semicolon == std::string_view::npos) return std::nullopt;
  // An encoding is "/* 0x... */"; an address has neither blanks nor 0x.
  const auto address = parse_hex(text.substr(2, closing - 2));
  if (!address || semicolon < closing) return std::nullopt;
  text = trimmed(text.substr(closing + 2, semicolon - closing - 2));

  instruction parsed;
  parsed.address = *address;
  if (text.starts_with('@')) parsed.prefixes = next_word(text);
  parsed.mnemonic = next_word(text);
  parsed.operands = text;
  if (parsed.mnemonic.empty()) return std::nullopt;
  if (names_a_place(parsed.mnemonic)) set_target(parsed);
  return parsed;
}

}  // namespace syncmeter

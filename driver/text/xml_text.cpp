#include "driver/text/xml_text.hpp"

#include <cstdint>

namespace syncmeter {
namespace {

/// Bytes of the UTF-8 sequence that `text` begins with; 0 where it begins with none that XML may
/// hold.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  std::uint32_t code = first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool overlong = code < (bytes == 2 ? 0x80U : bytes == 3 ? 0x800U : 0x10000U);
  const bool not_a_character = (code >= 0xd800 && code < 0xe000) || (code & 0xfffeU) == 0xfffeU;
  return overlong || not_a_character || code > 0x10ffff ? 0 : bytes;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    switch (text.front()) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    case '\'':
      escaped += "&#39;";
      break;
    default:
      escaped += bytes == 0 ? std::string_view("?") : text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return escaped;
}

}  // namespace syncmeter

#include "driver/text/xml_text.hpp"

#include "driver/text/utf8.hpp"

namespace syncmeter {
namespace {

// Of the character that `text` begins with; 0 where it is none that XML may hold.
std::size_t character_bytes(std::string_view text) {
  const auto [code, bytes] = first_character(text);
  const bool control = code < 0x20 && code != '\t' && code != '\n';
  return control || (code & 0xfffeU) == 0xfffeU ? 0 : bytes;
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

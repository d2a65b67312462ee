#include "driver/text/messages.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>

#include <unistd.h>

#include <fmt/format.h>

#include "driver/text/columns.hpp"

namespace syncmeter {
namespace {

// Counts letters inserted, deleted, replaced, or swapped with their neighbour (optimal string
// alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_above, above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t replaced = above[k - 1] + (a[i - 1] == b[k - 1] ? 0U : 1U);
      row[k] = std::min({replaced, above[k] + 1, row[k - 1] + 1});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        row[k] = std::min(row[k], two_above[k - 2] + 1);
    }
    two_above = above;
    above = row;
  }
  return above.back();
}

struct utf8_character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: the first byte starts no character
};

utf8_character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool overlong = code < (bytes == 2 ? 0x80U : bytes == 3 ? 0x800U : 0x10000U);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (overlong || surrogate || code > 0x10ffff) return {};
  return {code, bytes};
}

bool turns_direction(std::uint32_t code) {
  return code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string unknown_name(std::string_view option, std::string_view what, std::string_view text,
                         const std::vector<std::string>& allowed, std::string_view listed_by) {
  constexpr std::size_t longest_name = 80;
  constexpr std::size_t longest_list = 100;  // a message has two lines at most
  if (text.size() > longest_name) text = text.substr(0, longest_name);
  const auto distance_to = [&](const std::string& word) { return edit_distance(text, word); };
  const auto meant = std::ranges::min_element(allowed, {}, distance_to);
  // A third of the letters may be wrong. Beyond a third a proposal is a guess.
  const bool is_near =
      meant != allowed.end() && distance_to(*meant) <= std::max<std::size_t>(1, text.size() / 3);
  const std::string proposal = is_near ? fmt::format("did you mean '{}'? ", *meant) : "";
  std::string names = allowed.empty() ? "there is none here" : "allowed: " + join(allowed);
  if (names.size() > longest_list)
    names = fmt::format("`{}` lists all {}", listed_by, allowed.size());
  return fmt::format("{}: unknown {} '{}'; {}{}", option, what, text, proposal, names);
}

std::string shortened(std::string_view text) {
  constexpr std::size_t longest_word = 400, longest_text = 8000;
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = std::min(rest.find_first_of(" \n"), rest.size());
    if (length > longest_word)
      out += fmt::format("{}...({} bytes)", rest.substr(0, longest_word), length);
    else out += rest.substr(0, length);
    if (out.size() > longest_text) return out.substr(0, longest_text) + " ...";
    if (length < rest.size()) out += rest[length];
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return out;
}

std::string quote(std::string_view text, std::size_t limit) {
  std::string out = "'";
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\\' || c == '\'') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += '\'';
  if (text.size() > limit) out += "...";
  return out;
}

std::string printable(std::string_view text, bool lines) {
  std::string out;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    if (bytes == 0) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (code == '\n' && lines) out += '\n';
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) out += fmt::format("\\x{:02x}", code);
    else if (turns_direction(code)) out += fmt::format("\\u{:04x}", code);
    else out += text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

std::string count_text(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string message_text(std::string_view sentence, std::size_t width) {
  const std::string line = fmt::format("syncmeter: {}", printable(sentence));
  return (width == 0 || line.size() <= width ? line : wrapped(line, 0, width)) + "\n";
}

void print_message(std::string_view sentence) {
  std::fputs(message_text(shortened(sentence), terminal_width(STDERR_FILENO)).c_str(), stderr);
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + '\'';
}

}  // namespace syncmeter

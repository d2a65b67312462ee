// The text form of what an op declares, and of what was counted.
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "driver/census/census.hpp"
#include "driver/census/instruction_text.hpp"

namespace syncmeter {
namespace {

/// Splits at `separator`, but not within <> or (): the name of a C++ function may hold it.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == '>' || text[i] == ')') --depth;
    if (text[i] != separator || depth != 0) continue;
    parts.push_back(trimmed(text.substr(first, i - first)));
    first = i + 1;
  }
  parts.push_back(trimmed(text.substr(first)));
  return parts;
}

void add_term(class_counts& counts, std::string_view term, std::string_view whole) {
  const auto blank = term.find_last_of(" \t");
  const std::string_view number = blank == std::string_view::npos ? "" : term.substr(blank + 1);
  int count = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
  const bool whole_number = error == std::errc{} && end == number.data() + number.size();
  if (number.empty() || !whole_number || count < 1) {
    throw std::invalid_argument(fmt::format(
        "declared '{}': '{}' is not a class and a number of at least 1, as in 'lock_add 1'", whole,
        term));
  }
  const std::string name(trimmed(term.substr(0, blank)));
  if (!counts.emplace(name, count).second) {
    throw std::invalid_argument(fmt::format("declared '{}': '{}' is there twice", whole, name));
  }
}

}  // namespace

declaration parse_declaration(std::string_view text) {
  declaration parsed;
  for (const std::string_view alternative : split(text, '|')) {
    class_counts& counts = parsed.alternatives.emplace_back();
    if (alternative == "nothing") continue;
    for (const std::string_view term : split(alternative, ',')) add_term(counts, term, text);
  }
  return parsed;
}

std::string to_text(const std::map<std::string, double>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", name, count);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace syncmeter

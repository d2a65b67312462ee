#include "driver/campaign/program_figure.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <string>

#include <fmt/format.h>

#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// So much is looked at on each side: std::regex may not end on a long text.
constexpr std::size_t sight_of_figure = 40;

/// Between the thousands of some language, in UTF-8: no-break spaces and an apostrophe.
constexpr const char* separators_of_languages = "\xC2\xA0|\xE2\x80\xAF|\xE2\x80\x89|\xE2\x80\x99";

/// Digits, with or without a separator; thousands before a blank; a sign. The groups are these, and
/// behind each the separator.
const std::regex& part_before() {
  static const std::regex found(std::string("([0-9]+)([.,:'_]|") + separators_of_languages +
                                ")?$|"
                                "(?:^|[^-0-9A-Za-z_.:,/#]|[^0-9]:)([1-9][0-9]{0,2})( )$|"
                                "(?:^|[\\s=:(,])()(-)$");
  return found;
}

/// Digits, with or without a separator; hundreds behind a blank; an exponent; a power of ten;
/// "2m5"; a smaller unit of time behind a larger one, "2 min 5 s". The groups are separators.
const std::regex& part_behind() {
  static const std::regex found(std::string("^([.,:'_]|") + separators_of_languages +
                                ")?[0-9]+|"
                                "^( )[0-9]{3}(?![0-9:])|"
                                "^[eE][-+]?[0-9]+|"
                                "^ ?(?:x|\\*|\xC3\x97) ?10(?:\\^|\\*\\*|[eE])[-+]?[0-9]+|"
                                "^[A-Za-z]+[0-9]+|"
                                "^ *(?:d|days?)[ ,]+[0-9]+ *(?:h|hours?|m|min|minutes?)\\b|"
                                "^ *(?:h|hours?)[ ,]+[0-9]+ *(?:m|min|minutes?)\\b|"
                                "^ *(?:m|min|minutes?)[ ,]+[0-9.]+ *(?:s|sec|seconds?)\\b|"
                                "^ *(?:s|sec|seconds?)[ ,]+[0-9.]+ *(?:ms|us|ns)\\b");
  return found;
}

const std::regex& begins_with_hundreds() {
  static const std::regex found("^[0-9]{3}(?![0-9])");
  return found;
}

const std::regex& may_be_thousands() {
  static const std::regex found("[1-9][0-9]{0,2}");
  return found;
}

/// Whether the metric, but for its group, says what separates the number from its neighbour.
bool names_separator(std::string_view metric, std::string_view separator) {
  const std::size_t open = metric.find('('),
                    close = metric.find(')', std::min(open, metric.size()));
  if (open == metric.npos || close == metric.npos || separator.empty()) return false;
  const std::string others =
      std::string(metric.substr(0, open)) + std::string(metric.substr(close));
  const auto has = [&](std::string_view what) { return others.find(what) != others.npos; };
  if (separator == ".") return has("\\.");
  // What else than a digit may end with one: ".* ([0-9]+)".
  if (separator == " ") return has("\\d") || others.find_first_of("0123456789") != others.npos;
  return has(separator);
}

std::string unit_behind(std::string_view behind) {
  const auto begin = std::min(behind.find_first_not_of(' '), behind.size());
  const auto is_of_unit = [](unsigned char c) {
    return std::isalpha(c) != 0 || c == '%' || c == '/' || c >= 0x80;
  };
  const auto end = std::find_if_not(behind.begin() + static_cast<std::ptrdiff_t>(begin),
                                    behind.end(), is_of_unit);
  return std::string(behind.begin() + static_cast<std::ptrdiff_t>(begin), end);
}

}  // namespace

program_figure read_figure(const std::string& text, std::size_t at, std::size_t length,
                           std::size_t match, std::size_t match_end, std::string_view metric) {
  const std::string group = text.substr(at, length);
  char* end = nullptr;
  program_figure figure{.value = std::strtod(group.c_str(), &end)};
  const std::string none =
      fmt::format("wrote {} where --metric looks for a number above 0", quote(group));
  if (end == group.c_str()) return {.problem = none};
  const std::size_t first = at + std::min(group.find_first_not_of(" \t\r\n\v\f"), group.size());
  const std::size_t last = at + static_cast<std::size_t>(end - group.c_str());
  const std::string number = text.substr(first, last - first);
  const std::size_t seen_from = first - std::min(first, sight_of_figure);
  const std::string before = text.substr(seen_from, first - seen_from),
                    behind = text.substr(last, sight_of_figure);
  figure.unit = unit_behind(behind);

  std::size_t whole_from = first, whole_to = last;
  std::smatch found;
  if (std::regex_search(before, found, part_before())) {
    const std::size_t part = found[1].matched ? 1 : found[4].matched ? 3 : 6;
    const std::string separator = found.str(2) + found.str(4) + found.str(6);
    const bool is_part = separator != " " || std::regex_search(number, begins_with_hundreds());
    if (is_part && !(first - separator.size() >= match && names_separator(metric, separator)))
      whole_from = seen_from + static_cast<std::size_t>(found.position(part));
  }
  if (std::regex_search(behind, found, part_behind())) {
    const std::string separator = found.str(1) + found.str(2);
    const bool is_part = separator != " " || std::regex_match(number, may_be_thousands());
    if (is_part && !(last + separator.size() <= match_end && names_separator(metric, separator)))
      whole_to = last + static_cast<std::size_t>(found.length());
  }
  if (!(figure.value > 0) || !std::isfinite(figure.value)) figure.problem = none;
  if (whole_from < first || whole_to > last)
    figure.problem = fmt::format("wrote {}, of which --metric would read {}: have it print one "
                                 "number in one unit, or the expression name the separator outside "
                                 "its parentheses",
                                 quote(text.substr(whole_from, whole_to - whole_from)), number);
  return figure;
}

}  // namespace syncmeter

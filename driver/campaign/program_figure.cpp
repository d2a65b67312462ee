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

/// Digits, with or without a separator behind them, or a sign. The groups are these, and that.
const std::regex& part_before() {
  static const std::regex found("([0-9]+)([.,:'_])?$|(?:^|[\\s=:(,])(-)$");
  return found;
}

/// Digits, with or without a separator before them, which is the group; an exponent; "m5" of "2m5".
const std::regex& part_behind() {
  static const std::regex found("^([.,:'_])?[0-9]+|^[eE][-+]?[0-9]+|^[A-Za-z]+[0-9]+");
  return found;
}

/// Whether the metric, but for its group, has what separates the number from its neighbour.
bool names_separator(std::string_view metric, std::string_view separator) {
  const std::size_t open = metric.find('('), close = metric.find(')');
  if (open >= close || close == metric.npos || separator.empty()) return false;
  const std::string what = separator == "." ? "\\." : std::string(separator);
  return metric.substr(0, open).find(what) != metric.npos ||
         metric.substr(close).find(what) != metric.npos;
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
    const std::string separator = found.str(2);
    if (first - separator.size() < match || !names_separator(metric, separator))
      whole_from = seen_from + static_cast<std::size_t>(found.position(found[1].matched ? 1 : 3));
  }
  if (std::regex_search(behind, found, part_behind())) {
    const std::string separator = found.str(1);
    if (last + separator.size() > match_end || !names_separator(metric, separator))
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

// The small grammars of the command line, written by hand, because each must say what it expects.
#include "driver/text/parse_axes.hpp"

#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace syncmeter {
namespace {

constexpr unsigned most_pu = 65535;
constexpr unsigned most_blocks = 1'000'000;

// Parses a whole number without sign, blank or trailing text.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Parses a plain decimal number at the start of `text` (not "inf", "nan" or signs), and returns it
// and the rest.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
  const auto starts_number = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  if (text.empty() || !starts_number(text.front())) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return std::pair{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

constexpr std::array<std::pair<count_range::symbol, std::string_view>, 4> symbols{
    {{count_range::symbol::max, "max"},
     {count_range::symbol::half_sm, "sm/2"},
     {count_range::symbol::sm, "sm"},
     {count_range::symbol::two_sm, "2sm"}}};

// The words that a list of counts allows beside numbers and ranges, and the counted things.
struct count_grammar {
  std::string_view plural, words;
  unsigned most;
  std::size_t symbols;  ///< number of allowed `symbols`
};
constexpr count_grammar lane_counts{"lanes", "or max", most_lanes, 1};
constexpr count_grammar block_counts{"blocks", "sm/2, sm, 2sm or max", most_blocks, symbols.size()};

unsigned parse_number(std::string_view option, std::string_view whole, std::string_view digits,
                      const count_grammar& grammar) {
  const auto value = whole_number(digits);
  if (!value) {
    throw usage_error(fmt::format("{}: '{}' is not a number, a range such as 4-8, {}", option,
                                  whole, grammar.words));
  }
  if (*value < 1 || *value > grammar.most) {
    throw usage_error(fmt::format("{}: '{}' is out of range: {} go from 1 to {}", option, whole,
                                  grammar.plural, grammar.most));
  }
  return static_cast<unsigned>(*value);
}

std::pair<unsigned, unsigned> parse_range(std::string_view option, std::string_view whole,
                                          const count_grammar& grammar) {
  const std::size_t dash = whole.find('-');
  const unsigned first = parse_number(option, whole, whole.substr(0, dash), grammar);
  const unsigned last = dash == std::string_view::npos
                            ? first
                            : parse_number(option, whole, whole.substr(dash + 1), grammar);
  if (last < first) {
    throw usage_error(
        fmt::format("{}: '{}' is a descending range; write {}-{}", option, whole, last, first));
  }
  return {first, last};
}

template <class Number> std::string range_text(Number first, Number last) {
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

std::vector<count_range> parse_counts(std::string_view option, std::string_view text,
                                      const count_grammar& grammar) {
  std::vector<count_range> ranges;
  const auto allowed = std::span(symbols).first(grammar.symbols);
  for (const std::string& part : parse_list(option, text)) {
    const auto word =
        std::ranges::find_if(allowed, [&](const auto& known) { return known.second == part; });
    if (word != allowed.end()) {
      ranges.push_back({.named = word->first});
      continue;
    }
    const auto [first, last] = parse_range(option, part, grammar);
    ranges.push_back({.first = first, .last = last});
  }
  return ranges;
}

}  // namespace

std::vector<std::string> parse_list(std::string_view option, std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ',');
  if (contains(parts, ""))
    throw usage_error(
        fmt::format("{}: '{}' has an empty part; write a list as a,b,c", option, text));
  return {parts.begin(), parts.end()};
}

std::string one_name::operator()(std::string_view option, std::string_view text) const {
  if (contains(allowed, text)) return std::string(text);
  throw usage_error(unknown_name(option, what, text, allowed));
}

std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t least,
                          std::uint64_t most) {
  const auto value = whole_number(text);
  if (!value || *value < least || *value > most) {
    throw usage_error(
        fmt::format("{}: '{}' is not a whole number from {} to {}", option, text, least, most));
  }
  return *value;
}

std::vector<unsigned> parse_numbers(std::string_view option, std::string_view text, unsigned least,
                                    unsigned most) {
  std::vector<unsigned> numbers;
  for (const std::string& part : parse_list(option, text))
    numbers.push_back(static_cast<unsigned>(parse_count(option, part, least, most)));
  return numbers;
}

std::vector<count_range> parse_lanes(std::string_view option, std::string_view text) {
  return parse_counts(option, text, lane_counts);
}

std::vector<count_range> parse_blocks(std::string_view option, std::string_view text) {
  return parse_counts(option, text, block_counts);
}

std::string to_text(const count_range& range) {
  for (const auto& [word, text] : symbols)
    if (word == range.named) return std::string(text);
  return range_text(range.first, range.last);
}

std::vector<int> parse_pus(std::string_view option, std::string_view text) {
  std::vector<int> pus;
  std::vector<bool> named(most_pu + 1);
  for (const std::string& part : parse_list(option, text)) {
    const std::size_t dash = part.find('-');
    const auto first = whole_number(std::string_view(part).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : whole_number(std::string_view(part).substr(dash + 1));
    if (!first || !last || *last > most_pu || *last < *first)
      throw usage_error(fmt::format("{}: '{}' is not the number of a CPU from 0 to {}, or a range "
                                    "such as 4-8",
                                    option, part, most_pu));
    for (auto pu = *first; pu <= *last; ++pu) {
      if (named[pu])
        throw usage_error(
            fmt::format("{}: CPU {} is named twice; each thread has a CPU of its own", option, pu));
      named[pu] = true;
      pus.push_back(static_cast<int>(pu));
    }
  }
  return pus;
}

double parse_seconds(std::string_view option, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> units{
      {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}}};
  const auto number = leading_number(text);
  if (!number) {
    throw usage_error(
        fmt::format("{}: '{}' is not a time; write it as 1s, 150ms or 5min", option, text));
  }
  const auto value = number->first;  // not a structured binding: clang 14 cannot capture one
  const auto unit = number->second;
  if (unit.empty()) {
    throw usage_error(fmt::format("{}: '{}' has no unit; write it as {}s, {}ms or {}min", option,
                                  text, text, text, text));
  }
  const auto found = std::ranges::find_if(units, [&](const auto& u) { return u.first == unit; });
  if (found == units.end()) {
    throw usage_error(fmt::format(
        "{}: '{}' has an unknown unit '{}'; allowed: ns, us, ms, s, min, h", option, text, unit));
  }
  if (!(value > 0)) throw usage_error(fmt::format("{}: '{}' is not longer than 0", option, text));
  return value * found->second;
}

std::string parse_file_name(std::string_view option, std::string_view text) {
  if (text.empty()) throw usage_error(fmt::format("{}: the file name is empty", option));
  return std::string(text);
}

double parse_share(std::string_view option, std::string_view text) {
  const auto number = leading_number(text);
  if (!number || !number->second.empty() || !(number->first > 0) || !(number->first < 1)) {
    throw usage_error(
        fmt::format("{}: '{}' is not a number above 0 and below 1, such as 0.01", option, text));
  }
  return number->first;
}

std::string as_ranges(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + range_text(numbers[first], numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace syncmeter

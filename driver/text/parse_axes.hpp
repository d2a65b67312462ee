// The small grammars of the command line: lists, names, numbers, ranges and durations. Every error
// is a usage_error that names the option, the offending text and the allowed values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/axes.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {

/// One element of a --threads or --blocks list: a number, a range, or a symbol whose number depends
/// on the machine or the GPU.
struct count_range {
  /// max: the largest number of lanes allowed, or all blocks that run at once. All others count
  /// blocks. sm: the GPU's multiprocessors. beyond: one more than run at once.
  enum class symbol : std::uint8_t { none, half_sm, sm, two_sm, max, beyond };
  unsigned first = 1;
  unsigned last = 1;  ///< inclusive
  symbol named = symbol::none;
  unsigned times = 1;  ///< factor for the symbol; studies only, like `whole` and `beyond`
  unsigned whole = 1;  ///< rounded down to a multiple of `whole`
  friend bool operator==(const count_range&, const count_range&) = default;
};

/// Returns ranges of PU numbers, sorted: "0-3,8".
[[nodiscard]] std::string as_ranges(std::vector<int> numbers);

template <class List, class Value>
[[nodiscard]] bool contains(const List& values, const Value& value) {
  return std::ranges::find(values, value) != std::ranges::end(values);
}

template <class T, class Value> void add_once(std::vector<T>& values, const Value& value) {
  if (!contains(values, value)) values.emplace_back(value);
}

/// Returns the parts between commas. No part may be empty.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view option, std::string_view text);

/// parse_list for an option whose values workers extend. Completion offers the `known` values.
struct open_list {
  std::vector<std::string> known;
  [[nodiscard]] const std::vector<std::string>& values() const { return known; }
  [[nodiscard]] std::vector<std::string> operator()(std::string_view option,
                                                    std::string_view text) const {
    return parse_list(option, text);
  }
};

/// Parses one name from a list. `what` describes the names in messages.
struct one_name {
  const char* what;
  std::vector<std::string> allowed;
  [[nodiscard]] const std::vector<std::string>& values() const { return allowed; }
  [[nodiscard]] std::string operator()(std::string_view option, std::string_view text) const;
};

/// Parses a whole number from `least` to `most`.
[[nodiscard]] std::uint64_t parse_count(std::string_view option, std::string_view text,
                                        std::uint64_t least, std::uint64_t most);

/// Parses whole numbers from `least` to `most` without ranges: a range of elements would be a
/// billion numbers.
[[nodiscard]] std::vector<unsigned> parse_numbers(std::string_view option, std::string_view text,
                                                  unsigned least, unsigned most);

/// The most lanes, and cells, that a point on CPUs can have.
inline constexpr unsigned most_lanes = 4096;

/// Parses "1,2,4-8,max".
[[nodiscard]] std::vector<count_range> parse_lanes(std::string_view option, std::string_view text);

/// Parses OS numbers of PUs, "0,3" or "0,8-11", without repeats.
[[nodiscard]] std::vector<int> parse_pus(std::string_view option, std::string_view text);

/// Parses "1,2-4,sm/2,sm,2sm,max".
[[nodiscard]] std::vector<count_range> parse_blocks(std::string_view option, std::string_view text);
[[nodiscard]] std::string to_text(const count_range& range);

/// Returns a positive time with its unit (ns, us, ms, s, min, h), in seconds.
[[nodiscard]] double parse_seconds(std::string_view option, std::string_view text);

/// Parses a file name: any text except an empty one.
[[nodiscard]] std::string parse_file_name(std::string_view option, std::string_view text);

/// Parses a number above 0 and below 1.
[[nodiscard]] double parse_share(std::string_view option, std::string_view text);

/// Returns a value's spelling, or nothing if the axis does not apply.
template <axis_value Enum> [[nodiscard]] std::string text_unless_none(Enum value) {
  return value == Enum::none ? "" : std::string(to_text(value));
}

/// Returns every spelling of an axis, in declaration order.
template <axis_value Enum> [[nodiscard]] std::vector<std::string> names_allowed() {
  std::vector<std::string> names;
  for (const auto& name : names_of(Enum{})) names.emplace_back(name);
  return names;
}

/// Parses a comma-separated list of an axis' values and gives them to the option's row. `what` is
/// the axis in words, for messages.
template <axis_value Enum> struct names_of_axis {
  const char* what;
  [[nodiscard]] static std::vector<std::string> values() { return names_allowed<Enum>(); }
  [[nodiscard]] std::vector<Enum> operator()(std::string_view option, std::string_view text) const {
    std::vector<Enum> values;
    for (const std::string& part : parse_list(option, text)) {
      const auto value = from_text<Enum>(part);
      if (!value) throw usage_error(unknown_name(option, what, part, names_allowed<Enum>()));
      values.push_back(*value);
    }
    return values;
  }
};
/// Does the same for axes whose `none` marks ops without the axis.
template <axis_value Enum> struct names_of_axis_but_none {
  const char* what;
  [[nodiscard]] static std::vector<std::string> values() {
    std::vector<std::string> names = names_allowed<Enum>();
    std::erase(names, "none");
    return names;
  }
  [[nodiscard]] std::vector<Enum> operator()(std::string_view option, std::string_view text) const {
    const std::vector<Enum> found = names_of_axis<Enum>{what}(option, text);
    if (!contains(found, Enum::none)) return found;
    throw usage_error(
        fmt::format("{}: 'none' cannot be chosen: it marks operations without a {}; allowed: {}",
                    option, what, join(values())));
  }
};

}  // namespace syncmeter

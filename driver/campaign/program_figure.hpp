// The number in a program's output that `--metric` names.
#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace syncmeter {

struct program_figure {
  double value = 0;
  std::string unit{};     ///< the next word in its line: "us", "requests/s"; or empty
  std::string problem{};  ///< why there is no number, in words that follow the program's name, else
                          ///< empty
};

/// Returns the number at the beginning of text[at, at + length). Checks its surroundings in all of
/// `text`, because "1,234", "1:05" and "2m5s" must not be read in part. A separator in the metric,
/// in text[match, match_end), separates two figures: "937,12" by "([0-9]+),".
[[nodiscard]] program_figure read_figure(const std::string& text, std::size_t at,
                                         std::size_t length, std::size_t match,
                                         std::size_t match_end, std::string_view metric);

/// A match of --metric in a text, and its first group. The group is the match if the expression has
/// no group.
struct metric_match {
  std::size_t match = 0, match_end = 0, group = 0, group_length = 0;
};

/// The regular expression of --metric. std::regex recurses for each character and may need
/// exponential time. Each search runs in a child process with a large stack and a time limit. The
/// polynomial engine in libstdc++ needs a limit as well: 44 s for `(a|aa)+b` and 16,000 characters.
/// The polynomial engine also refuses back-references.
class metric_expression {
 public:
  /// Throws usage_error if the expression is too long or not a regular expression.
  explicit metric_expression(const std::string& expression, unsigned longest_search_s = 10);

  /// Returns the first match, or nothing. Sets `problem`, in words that follow the program's name,
  /// if the search failed.
  [[nodiscard]] std::optional<metric_match> find_in(const std::string& text,
                                                    std::string& problem) const;

 private:
  std::string expression_;
  std::regex regex_;
  unsigned longest_search_s_;
};

}  // namespace syncmeter

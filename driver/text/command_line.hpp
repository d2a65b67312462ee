// The command line of every sub-command: a table of options. Each row has its spelling, its help
// and its parser.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace syncmeter {

/// A command-line option.
struct option_row {
  std::string name;   ///< followed by a comma and its letter: "help,h"
  std::string value;  ///< name of the value in --help: "LIST"; empty for a switch
  std::string help;   ///< with default and unit
  /// Values, or elements of a LIST, for shell completion: all allowed values, or the known values
  /// if workers add more. Empty: numbers, files, any text.
  std::vector<std::string> values{};
  /// Takes the option's name for messages ("--threads") and its value; throws usage_error. Rows
  /// take values in table order.
  std::function<void(const std::string& option, const std::string& text)> take;
  bool repeats = false;  ///< may be given several times, and takes each value
};

/// Returns the values that a parser allows, if known.
template <class Parse> [[nodiscard]] std::vector<std::string> values_of(const Parse& parse) {
  if constexpr (requires { parse.values(); }) return parse.values();
  else return {};
}

/// Returns the row of an option with a value: `field` becomes `parse` applied to option and text.
template <class Field, class Parse>
[[nodiscard]] option_row value_row(std::string name, std::string value, std::string help,
                                   Field& field, Parse parse) {
  return {.name = std::move(name),
          .value = std::move(value),
          .help = std::move(help),
          .values = values_of(parse),
          .take = [&field, parse](const std::string& option, const std::string& text) {
            field = parse(option, text);
          }};
}
/// Returns the row of a switch, which sets `flag`.
[[nodiscard]] option_row switch_row(std::string name, std::string help, bool& flag);
/// Returns the row of --help.
[[nodiscard]] option_row help_row(bool& flag);

/// Returns "--threads", and "-h" if an option has a letter.
[[nodiscard]] std::vector<std::string> spellings(const option_row& row);

/// Passes values to their rows, and returns the words without an option, at most `words`. Throws
/// usage_error for an option that is unknown, abbreviated, given twice, or without its value.
std::vector<std::string> parse_command_line(const std::vector<std::string>& arguments,
                                            const std::vector<option_row>& rows,
                                            std::size_t words = 0);

/// Returns the options' help below `title`.
[[nodiscard]] std::string options_text(const std::vector<option_row>& rows,
                                       std::string_view title = "Options");

/// Exit statuses of `run` besides 0, 1 (a point or a command failed) and 2 (wrong usage). After a
/// signal the status follows the shells' rule: 128 and the signal's number.
inline constexpr int exit_budget_spent = 3;
inline constexpr int exit_misses_visits = 4;

inline constexpr const char* exit_statuses =
    "0 success, 1 a configuration or a command failed, 2 wrong usage,\n3 the --budget was spent "
    "before all repetitions, 4 a resumed plan has\nrepetitions that cannot be measured here, 130 "
    "Ctrl-C.";

}  // namespace syncmeter

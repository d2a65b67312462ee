// The command line of every sub-command: a table of options, of which each row says how it is
// written, what --help tells of it, and what takes its value.
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
  std::string name;   ///< after a comma its letter: "help,h"
  std::string value;  ///< what --help calls its value: "LIST"; empty for a switch
  std::string help;   ///< with default and unit
  /// What the value, or an element of its LIST, can be, as completion offers it: all that is
  /// allowed or, where workers add to it, what is known without them. Empty: numbers, files, any
  /// text.
  std::vector<std::string> values{};
  /// Takes the option as messages name it ("--threads") and its value; throws usage_error. Rows
  /// take theirs in the order of the table.
  std::function<void(const std::string& option, const std::string& text)> take;
  bool repeats = false;  ///< it may be given several times, and takes each value
};

/// The values that a parser allows, where it says so.
template <class Parse> [[nodiscard]] std::vector<std::string> values_of(const Parse& parse) {
  if constexpr (requires { parse.values(); }) return parse.values();
  else return {};
}

/// The row of an option with a value: `field` becomes what `parse` makes of option and text.
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
/// The row of a switch: sets `flag`.
[[nodiscard]] option_row switch_row(std::string name, std::string help, bool& flag);
/// The row of --help.
[[nodiscard]] option_row help_row(bool& flag);

/// "--threads", and "-h" where an option has a letter.
[[nodiscard]] std::vector<std::string> spellings(const option_row& row);

/// Hands what was given to its rows, and returns the words without an option, of which as many as
/// `words` are allowed. Throws usage_error: for an option that is unknown, abbreviated, given
/// twice, or without its value.
std::vector<std::string> parse_command_line(const std::vector<std::string>& arguments,
                                            const std::vector<option_row>& rows,
                                            std::size_t words = 0);

/// What --help prints of the options, below `title`.
[[nodiscard]] std::string options_text(const std::vector<option_row>& rows,
                                       std::string_view title = "Options");

/// Of `run`, beside 0, 1 (a point or a command failed) and 2 (wrong usage). Signals end it as a
/// shell has it: 128 and the signal's number.
inline constexpr int exit_budget_spent = 3;
inline constexpr int exit_misses_visits = 4;

inline constexpr const char* exit_statuses =
    "0 success, 1 a configuration or a command failed, 2 wrong usage,\n3 the --budget was spent "
    "before all repetitions, 4 a resumed plan has\nrepetitions that cannot be measured here, 130 "
    "Ctrl-C.";

}  // namespace syncmeter

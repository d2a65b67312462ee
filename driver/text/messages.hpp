// Texts for the user: the error of a mistake, with the known name that may have been meant; and
// what others wrote made safe for one line, a terminal, a shell.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace syncmeter {

/// A mistake of the user's: the message names the option, the offending text and what is allowed.
/// Exit status 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What `text_of` makes of each element.
template <class Range, class Text>
[[nodiscard]] std::string join_texts(const Range& range, const Text& text_of,
                                     std::string_view between = ", ") {
  std::string all;
  bool first = true;
  for (const auto& each : range) {
    if (!std::exchange(first, false)) all += between;
    all += text_of(each);
  }
  return all;
}

/// "a, b and c" with a comma only: what is allowed, for a message.
[[nodiscard]] inline std::string join(const std::vector<std::string>& words,
                                      std::string_view between = ", ") {
  return join_texts(words, std::identity{}, between);
}

/// The parts between separators; some may be empty.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Returns the message for an unknown name: "--study: unknown study 'quik'; did you mean 'quick'?
/// allowed: quick, scaling". A long list is left to the command `listed_by`.
[[nodiscard]] std::string unknown_name(std::string_view option, std::string_view what,
                                       std::string_view text,
                                       const std::vector<std::string>& allowed,
                                       std::string_view listed_by = "--help");

/// The text in single quotes with everything but printable ASCII escaped; at most its first `limit`
/// bytes, with "..." behind the quote when there was more.
[[nodiscard]] std::string quote(std::string_view text, std::size_t limit = 80);

/// A message without what is longer than anybody reads: the words of arguments and files in it, and
/// all of it, are cut.
[[nodiscard]] std::string shortened(std::string_view text);

/// The text as a terminal may have it: control characters, those that turn the direction of writing
/// and bytes that are no UTF-8 become "\x1b" or "\u202e"; in `lines`, ends of lines stay.
[[nodiscard]] std::string printable(std::string_view text, bool lines = false);

/// "1 entry", "2 entries".
[[nodiscard]] std::string count_text(std::size_t n, std::string_view one, std::string_view many);

/// "syncmeter: " and the sentence, made safe for one line; in lines that fit a terminal of `width`,
/// 0 for none.
[[nodiscard]] std::string message_text(std::string_view sentence, std::size_t width);
/// The same on standard error, which programs read line by line unless it is a terminal.
void print_message(std::string_view sentence);

/// A file name as a shell takes it.
[[nodiscard]] std::string shell_word(const std::string& text);

}  // namespace syncmeter

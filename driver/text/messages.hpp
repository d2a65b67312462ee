// Texts for the user: error messages, which propose the known name that the user may have meant,
// and foreign text made safe for a line, a terminal or a shell.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace syncmeter {

/// A user's mistake. The message names the option, the offending text and the allowed values. Exit
/// status 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Joins `text_of` each element.
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

/// Joins allowed values for a message: "a, b, c".
[[nodiscard]] inline std::string join(const std::vector<std::string>& words,
                                      std::string_view between = ", ") {
  return join_texts(words, std::identity{}, between);
}

/// Returns the parts between separators, including empty parts.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Returns the message for an unknown name: "--study: unknown study 'quik'; did you mean 'quick'?
/// allowed: quick, scaling". A long list is left to the command `listed_by`.
[[nodiscard]] std::string unknown_name(std::string_view option, std::string_view what,
                                       std::string_view text,
                                       const std::vector<std::string>& allowed,
                                       std::string_view listed_by = "--help");

/// Returns the text in single quotes, with everything but printable ASCII escaped. Contains at most
/// `limit` bytes, and "..." behind the quote for longer text.
[[nodiscard]] std::string quote(std::string_view text, std::size_t limit = 80);

/// Shortens a message: cuts long words (arguments, files) and a long text.
[[nodiscard]] std::string shortened(std::string_view text);

/// Returns the text safe for a terminal: control characters, characters that change the writing
/// direction and invalid UTF-8 become "\x1b" or "\u202e". With `lines`, line ends stay.
[[nodiscard]] std::string printable(std::string_view text, bool lines = false);

/// Returns "1 entry", "2 entries".
[[nodiscard]] std::string count_text(std::size_t n, std::string_view one, std::string_view many);

/// Returns "syncmeter: " and the sentence, made safe for one line, in lines for a terminal of
/// `width` (0: no terminal).
[[nodiscard]] std::string message_text(std::string_view sentence, std::size_t width);
/// Prints the message on standard error, without line breaks unless it is a terminal, because
/// programs read line by line.
void print_message(std::string_view sentence);

/// Quotes a file name for a shell.
[[nodiscard]] std::string shell_word(const std::string& text);

}  // namespace syncmeter

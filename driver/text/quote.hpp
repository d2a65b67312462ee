// Text made safe: what a worker wrote, on one line of plain ASCII; a file name for a shell; a cell
// or a sentence for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace syncmeter {

/// The text in single quotes with everything but printable ASCII escaped; at most its first `limit`
/// bytes, with "..." behind the quote when there was more.
[[nodiscard]] std::string quote(std::string_view text, std::size_t limit = 80);

/// The text as a terminal may have it: control characters, those that turn the direction of writing
/// and bytes that are no UTF-8 become "\x1b" or "\u202e"; in `lines`, ends of lines stay.
[[nodiscard]] std::string printable(std::string_view text, bool lines = false);

/// A file name as a shell takes it.
[[nodiscard]] std::string shell_word(const std::string& text);

}  // namespace syncmeter

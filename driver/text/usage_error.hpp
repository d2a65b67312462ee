// Mistakes of the user: the error, and the message for a name that is not known, with the known one
// that may have been meant.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace syncmeter {

/// A mistake of the user's: the message names the option, the offending text and what is allowed.
/// Exit status 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "a, b and c" with a comma only: what is allowed, for a message.
[[nodiscard]] std::string join(const std::vector<std::string>& words,
                               std::string_view between = ", ");

/// The word of `allowed` that is nearest to `text` by edit distance, when it is near enough to be
/// meant.
[[nodiscard]] std::optional<std::string> nearest(std::string_view text,
                                                 const std::vector<std::string>& allowed);

/// The message for a name that is not known: "--study: unknown study 'quik'; did you mean 'quick'?
/// Allowed: quick, scaling".
[[nodiscard]] std::string unknown_name(std::string_view option, std::string_view what,
                                       std::string_view text,
                                       const std::vector<std::string>& allowed);

}  // namespace syncmeter

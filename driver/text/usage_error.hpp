// The error that stands for a mistake of the user's.
#pragma once

#include <stdexcept>

namespace syncmeter {

/// A mistake of the user's: the message names the option, the offending text and what is allowed.
/// Exit status 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace syncmeter

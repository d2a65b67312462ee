// Seconds as advice says them.
#pragma once

#include <string>

namespace syncmeter {

/// "250 us", and "250 us to 1.2 ms": of two that read alike one. The report says them in the same
/// way (tests/data/seconds.json).
[[nodiscard]] std::string seconds_text(double s);
[[nodiscard]] std::string range_text(double low_s, double high_s);

}  // namespace syncmeter

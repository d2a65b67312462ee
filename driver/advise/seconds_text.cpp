#include "driver/advise/seconds_text.hpp"

#include <fmt/format.h>

namespace syncmeter {

std::string seconds_text(double s) {
  // Up to what is rounded to 1000, or 100: no figure has a power of ten.
  if (s < 999.5e-9) return fmt::format("{:.3g} ns", s * 1e9);
  if (s < 999.5e-6) return fmt::format("{:.3g} us", s * 1e6);
  if (s < 0.01) return fmt::format("{:.2g} ms", s * 1e3);
  return s < 99.5 ? fmt::format("{:.2g} s", s) : fmt::format("{:.0f} s", s);
}

std::string range_text(double low_s, double high_s) {
  const std::string low = seconds_text(low_s), high = seconds_text(high_s);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

}  // namespace syncmeter

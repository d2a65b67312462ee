// Text for XML and SVG files.
#pragma once

#include <string>
#include <string_view>

namespace syncmeter {

/// `text` as character data or as an attribute's value: markup is escaped, and what XML 1.0 cannot
/// hold (control characters, bytes that are not UTF-8) becomes '?'.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace syncmeter

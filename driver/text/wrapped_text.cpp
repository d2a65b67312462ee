#include "driver/text/wrapped_text.hpp"

#include <sstream>

#include <fmt/format.h>

namespace syncmeter {

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > width) {
      lines += fmt::format("\n{:{}}", "", indent);
      column = indent;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

}  // namespace syncmeter

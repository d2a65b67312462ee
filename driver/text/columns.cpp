// Text in aligned columns.
#include "driver/text/columns.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace syncmeter {

void columns::row(std::vector<std::string> cells) {
  if (cells.size() != titles_.size()) {
    throw std::invalid_argument(
        fmt::format("{} cells for {} columns", cells.size(), titles_.size()));
  }
  lines_.push_back({std::move(cells), {}});
}

void columns::heading(std::string text) { lines_.push_back({{}, std::move(text)}); }

std::string columns::text() const {
  std::vector<std::size_t> widths(titles_.size(), 0);
  for (const line& l : lines_) {
    for (std::size_t c = 0; c < l.cells.size(); ++c)
      widths[c] = std::max(widths[c], l.cells[c].size());
  }
  std::string all;
  const auto add = [&](const auto& cell_of) {
    std::string printed;
    for (std::size_t c = 0; c < titles_.size(); ++c) {
      if (widths[c] == 0) continue;
      const std::size_t width = std::max(widths[c], titles_[c].title.size());
      printed += titles_[c].side == align::left ? fmt::format("  {:<{}}", cell_of(c), width)
                                                : fmt::format("  {:>{}}", cell_of(c), width);
    }
    printed.erase(printed.find_last_not_of(' ') + 1);
    all += printed + "\n";
  };
  add([&](std::size_t c) { return titles_[c].title; });
  for (const line& l : lines_) {
    if (l.cells.empty()) all += l.heading + "\n";
    else add([&](std::size_t c) { return l.cells[c]; });
  }
  return all;
}

}  // namespace syncmeter

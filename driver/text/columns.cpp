#include "driver/text/columns.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

// Applies to the last column. A longer cell gets its own line and does not cost a column.
constexpr std::size_t short_remark = 12;

}  // namespace

std::string painted(const std::string& text, const char* code, bool colour) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::size_t terminal_width(int fd) {
  if (::isatty(fd) == 0) return 0;
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_width;
}

page_style style_of(int fd) {
  page_style style{.width = usual_width, .colour = false};
  const std::size_t width = terminal_width(fd);
  if (width == 0) return style;
  style.width = width;
  const char* const none = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  style.colour =
      (none == nullptr || *none == '\0') && term != nullptr && std::string_view(term) != "dumb";
  return style;
}

void columns::row(std::vector<std::string> cells, bool alarming) {
  if (cells.size() != titles_.size()) {
    throw std::invalid_argument(
        fmt::format("{} variables for {} columns", cells.size(), titles_.size()));
  }
  for (std::string& cell : cells) cell = printable(cell);
  lines_.push_back({std::move(cells), {}, alarming});
}

void columns::heading(const std::string& text) { lines_.push_back({{}, printable(text)}); }

std::size_t columns::taken_by(const std::vector<std::size_t>& widths) const {
  std::size_t sum = 0;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    const bool last = c + 1 == widths.size();
    if (widths[c] != 0) sum += 2 + (last ? std::min(widths[c], short_remark) : widths[c]);
  }
  return sum;
}

bool columns::fits(std::size_t width) const {
  return width == 0 || taken_by(widths_on(width)) <= width;
}

std::vector<std::size_t> columns::widths_on(std::size_t page) const {
  std::vector<std::size_t> natural(titles_.size(), 0);
  for (const line& l : lines_)
    for (std::size_t c = 0; c < l.cells.size(); ++c)
      natural[c] = std::max(natural[c], l.cells[c].size());
  std::vector<std::pair<unsigned, std::size_t>> spared;  // in the order of removal
  std::vector<std::size_t> widths(titles_.size(), 0);
  for (std::size_t c = 0; c < titles_.size(); ++c) {
    if (natural[c] == 0) continue;
    natural[c] = std::max(natural[c], titles_[c].title.size());
    if (titles_[c].in_place_of.empty()) widths[c] = natural[c];
    if (titles_[c].spare != 0) spared.emplace_back(titles_[c].spare, c);
  }
  std::ranges::sort(spared, std::greater{});
  for (const auto& [rank, column] : spared) {
    if (page == 0 || taken_by(widths) <= page) break;
    widths[column] = 0;
    for (std::size_t c = 0; c < titles_.size(); ++c)
      if (titles_[c].in_place_of == titles_[column].title) widths[c] = natural[c];
  }
  return widths;
}

std::string columns::text(page_style style) const {
  const std::vector<std::size_t> widths = widths_on(style.width);
  const auto printed = [&](const auto& cell_of) {
    std::string line, gap(style.indent, ' ');
    for (std::size_t c = 0; c < titles_.size(); ++c) {
      if (widths[c] == 0) continue;
      const std::string& cell = cell_of(c);
      if (c + 1 == titles_.size() && style.width != 0 &&
          line.size() + 2 + cell.size() > style.width) {
        line.erase(line.find_last_not_of(' ') + 1);
        if (!cell.empty()) line += "\n      " + cell;
        continue;
      }
      line += std::exchange(gap, "  ");
      line += titles_[c].side == align::left ? fmt::format("{:<{}}", cell, widths[c])
                                             : fmt::format("{:>{}}", cell, widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  std::string all =
      painted(printed([&](std::size_t c) -> const std::string& { return titles_[c].title; }), "1",
              style.colour) +
      "\n";
  for (const line& l : lines_) {
    all += l.cells.empty()
               ? painted(l.heading, "1", style.colour)
               : painted(printed([&](std::size_t c) -> const std::string& { return l.cells[c]; }),
                         "31", style.colour && l.alarming);
    all += "\n";
  }
  return all;
}

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

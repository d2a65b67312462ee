// Text in aligned columns, and long texts in lines that fit a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace syncmeter {

/// Of a page where nothing says how wide it is.
inline constexpr std::size_t usual_width = 80;

/// Where a table goes.
struct page_style {
  std::size_t width = 0;   ///< characters in a line; 0: as many as it takes
  bool colour = false;     ///< bold titles, and red for rows that say that something went wrong
  std::size_t indent = 2;  ///< blanks before the first column
};
/// Characters in a line of the terminal `fd`; 0 where it is none.
[[nodiscard]] std::size_t terminal_width(int fd);
/// The terminal's width, or 80 where `fd` is none; colours unless NO_COLOR is set or TERM is dumb.
[[nodiscard]] page_style style_of(int fd);
/// `text` in the SGR code of ECMA-48 where `colour` says so: "1" is bold, "31" red.
[[nodiscard]] std::string painted(const std::string& text, const char* code, bool colour);

/// Rows of cells, printed so that each column is as wide as its widest cell. Columns in which no
/// row has anything are left out; a heading stands alone on its line. Where the page is too narrow,
/// columns that can be spared are left out one by one, and a cell of the last column that does not
/// fit has a line of its own.
class columns {
 public:
  enum class align { left, right };
  struct column {
    std::string title;
    align side = align::left;
    unsigned spare = 0;         ///< the highest goes first; 0: it stays
    std::string in_place_of{};  ///< shown only where the column of this title is left out
  };

  explicit columns(std::vector<column> titles) : titles_(std::move(titles)) {}

  /// One cell per column; throws std::invalid_argument otherwise.
  void row(std::vector<std::string> cells, bool alarming = false);
  void heading(const std::string& text);
  [[nodiscard]] std::string text(page_style style = {}) const;
  /// Whether a page of this width holds it, perhaps without the columns that can be spared.
  [[nodiscard]] bool fits(std::size_t width) const;

 private:
  struct line {
    std::vector<std::string> cells;  // empty: a heading
    std::string heading;
    bool alarming = false;
  };
  [[nodiscard]] std::size_t taken_by(const std::vector<std::size_t>& widths) const;
  // Of each column on a page of this width; 0: left out.
  [[nodiscard]] std::vector<std::size_t> widths_on(std::size_t page) const;

  std::vector<column> titles_;
  std::vector<line> lines_;
};

/// `text` after `indent` columns, broken at blanks so that lines stay within `width`; further lines
/// begin with so many blanks.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent,
                                  std::size_t width = usual_width);

}  // namespace syncmeter

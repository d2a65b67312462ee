// Text in aligned columns, and long texts in lines that fit a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace syncmeter {

/// The page width if unknown.
inline constexpr std::size_t usual_width = 80;

/// The page for a table.
struct page_style {
  std::size_t width = 0;   ///< characters in a line; 0: unlimited
  bool colour = false;     ///< bold titles, and red for rows that report a failure
  std::size_t indent = 2;  ///< blanks before the first column
};
/// Returns the characters per line of the terminal `fd`, or 0 if `fd` is no terminal.
[[nodiscard]] std::size_t terminal_width(int fd);
/// Returns the terminal's width, or 80 if `fd` is no terminal. Has colours unless NO_COLOR is set
/// or TERM is dumb.
[[nodiscard]] page_style style_of(int fd);
/// Returns `text` in the SGR code of ECMA-48 if `colour` is true: "1" is bold, "31" red.
[[nodiscard]] std::string painted(const std::string& text, const char* code, bool colour);

/// Rows of cells, printed with columns as wide as their widest cell. Empty columns are left out,
/// and a heading has its own line. On a narrow page, spare columns are left out step by step, and a
/// long cell in the last column gets its own line.
class columns {
 public:
  enum class align { left, right };
  struct column {
    std::string title;
    align side = align::left;
    unsigned spare = 0;         ///< the highest goes first; 0: it stays
    std::string in_place_of{};  ///< shown only if the column with this title is left out
  };

  explicit columns(std::vector<column> titles) : titles_(std::move(titles)) {}

  /// Takes one cell per column; throws std::invalid_argument otherwise.
  void row(std::vector<std::string> cells, bool alarming = false);
  void heading(const std::string& text);
  [[nodiscard]] std::string text(page_style style = {}) const;
  /// Returns whether the table fits this width, perhaps without spare columns.
  [[nodiscard]] bool fits(std::size_t width) const;

 private:
  struct line {
    std::vector<std::string> cells;  // empty: a heading
    std::string heading;
    bool alarming = false;
  };
  [[nodiscard]] std::size_t taken_by(const std::vector<std::size_t>& widths) const;
  // Returns each column's width on this page; 0: left out.
  [[nodiscard]] std::vector<std::size_t> widths_on(std::size_t page) const;

  std::vector<column> titles_;
  std::vector<line> lines_;
};

/// Returns `text` after `indent` columns, broken at blanks into lines within `width`. Later lines
/// begin with `indent` blanks.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent,
                                  std::size_t width = usual_width);

}  // namespace syncmeter

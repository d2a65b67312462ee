// Text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace syncmeter {

/// Rows of cells, printed so that each column is as wide as its widest cell. Columns in which no
/// row has anything are left out; a heading stands alone on its line.
class columns {
 public:
  enum class align { left, right };
  struct column {
    std::string title;
    align side = align::left;
  };

  explicit columns(std::vector<column> titles) : titles_(std::move(titles)) {}

  /// One cell per column; throws std::invalid_argument otherwise.
  void row(std::vector<std::string> cells);
  void heading(std::string text);
  [[nodiscard]] std::string text() const;

 private:
  struct line {
    std::vector<std::string> cells;  // empty: a heading
    std::string heading;
  };
  std::vector<column> titles_;
  std::vector<line> lines_;
};

}  // namespace syncmeter

// A campaign as CSV: every point a row, whatever its texts hold.
#include "driver/show/table.hpp"

#include <gmock/gmock.h>

#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::csv_test {
namespace {

using fixtures::atomic_add;
using fixtures::measured;

// A reader of RFC 4180: quotes double, commas and line ends inside quotes.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      rows.back().back() += text[i++];
    else if (text[i] == '"') quoted = !quoted;
    else if (!quoted && text[i] == ',') rows.back().emplace_back();
    else if (!quoted && text[i] == '\r') continue;
    else if (!quoted && text[i] == '\n') rows.emplace_back(1);
    else rows.back().back() += text[i];
  }
  rows.pop_back();
  return rows;
}

TEST(csv, every_point_is_a_row_and_odd_texts_survive) {
  point_summary odd = measured(atomic_add(2), {}, status::failed);
  odd.reason = "said \"41, not 42\"\nand ended";
  const auto rows = read_csv(to_csv({measured(atomic_add(), {2.5, 2.25, 2.75}), odd,
                                     measured(atomic_add(3), {-1, -2, -0.5}, status::interferes),
                                     measured(atomic_add(4), {0.1, -1, 1}, status::not_resolved)}));
  ASSERT_EQ(rows.size(), 5U);
  const auto cell = [&rows](std::size_t row, const std::string& column) {
    const auto& header = rows.front();
    const auto at = std::find(header.begin(), header.end(), column);
    return at == header.end() ? "no column " + column
                              : rows[row].at(static_cast<std::size_t>(at - header.begin()));
  };
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows.front().size());
  EXPECT_EQ(cell(1, "op"), "atomic_add");
  EXPECT_EQ(cell(1, "cost_ns"), "2.5");
  EXPECT_EQ(cell(1, "cost_low_ns"), "2.25");
  EXPECT_EQ(cell(1, "cost_high_ns"), "2.75");
  EXPECT_DOUBLE_EQ(std::stod(cell(1, "ops_per_s_total")), 1e9 / 2.5);
  EXPECT_EQ(cell(2, "reason"), odd.reason);
  EXPECT_EQ(cell(2, "cost_ns"), "");
  EXPECT_EQ(cell(3, "status"), "interferes");
  EXPECT_EQ(cell(3, "cost_ns") + cell(3, "cost_low_ns") + cell(3, "cost_high_ns"), "");
  EXPECT_EQ(cell(3, "baseline_ns_per_step"), "6");
  EXPECT_EQ(cell(4, "cost_ns") + cell(4, "cost_low_ns"), "") << "a bound is no cost";
  EXPECT_EQ(cell(4, "cost_high_ns"), "1");
}

TEST(csv, a_text_that_a_spreadsheet_takes_for_a_formula_is_text) {
  for (const std::string begin : {"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"}) {
    point_summary odd = measured(atomic_add(), {}, status::failed);
    odd.reason = begin + "SUM(A1)";
    const auto rows = read_csv(to_csv({odd}));
    EXPECT_THAT(rows.at(1), testing::Contains("'" + odd.reason));
  }
}
}  // namespace
}  // namespace syncmeter::csv_test

// Writes every point of a summary as comma-separated values. A single table of columns keeps header
// and cells consistent.
#include "driver/show/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/show/axis_columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : "";
}
std::string number_if(bool known, double value) { return known ? number(value) : ""; }

std::string rate(const point_summary& p, double rates::* which) {
  const auto found = rates_of(p);
  return found ? number((*found).*which) : "";
}

struct csv_column {
  std::string name;
  std::function<std::string(const point_summary&)> cell;
};

/// Axes from this place on follow the figures.
constexpr unsigned first_behind_figures = 50;

csv_column column_of(const axis_column& axis) {
  std::string name(axis.name);
  if (const std::string unit = "_" + std::string(axis.unit); unit != "_" && !name.ends_with(unit))
    name += unit;
  return {name, [&axis](const point_summary& p) {
            if (axis.shown == cell_shown::if_any) return text_unless_usual(p.what, axis.name);
            const bool is_shown =
                axis.shown != cell_shown::if_strided || p.what.placement == placement::strided;
            return is_shown ? axis_text(p.what, axis.name) : "";
          }};
}

std::string truth(bool value) { return value ? "true" : "false"; }

std::vector<csv_column> figures() {
  using s = const point_summary&;
  return {
      {"status", [](s p) { return std::string(to_text(p.status)); }},
      {"reason", [](s p) { return p.reason; }},
      {"measured_as", [](s p) { return p.measured_as; }},
      {"state", [](s p) { return p.state_text; }},
      {"headline", [](s p) { return truth(p.headline); }},
      {"visits", [](s p) { return fmt::to_string(p.visits); }},
      {"cost_ns", [](s p) { return number_if(has_cost(p), p.cost_ns.value); }},
      {"cost_low_ns", [](s p) { return number_if(has_cost(p), p.cost_ns.low); }},
      {"cost_high_ns",
       [](s p) { return number_if(has_cost(p) || has_upper_bound(p), p.cost_ns.high); }},
      {"host_cost_ns",
       [](s p) {
         return number_if(has_cost(p) && p.host_cost_ns.value > 0, p.host_cost_ns.value);
       }},
      {"host_cost_low_ns",
       [](s p) { return number_if(has_cost(p) && p.host_cost_ns.low > 0, p.host_cost_ns.low); }},
      {"host_cost_high_ns",
       [](s p) { return number_if(has_cost(p) && p.host_cost_ns.high > 0, p.host_cost_ns.high); }},
      {"cost_cycles", [](s p) { return number_if(has_cycles(p), p.cost_cycles.value); }},
      {"cost_low_cycles", [](s p) { return number_if(has_cycles(p), p.cost_cycles.low); }},
      {"cost_high_cycles", [](s p) { return number_if(has_cycles(p), p.cost_cycles.high); }},
      {"baseline_ns_per_step", [](s p) { return number_if(p.visits != 0, p.baseline_ns); }},
      {"test_ns_per_step", [](s p) { return number_if(p.visits != 0, p.test_ns); }},
      {"ops_per_s_per_lane", [](s p) { return rate(p, &rates::per_lane); }},
      {"ops_per_s_total", [](s p) { return rate(p, &rates::total); }},
      {"fairness_jain", [](s p) { return number_if(p.fairness > 0, p.fairness); }},
      {"slowest_over_fastest_ratio",
       [](s p) { return number_if(p.slowest_over_fastest > 0, p.slowest_over_fastest); }},
      {"rounds_kept", [](s p) { return fmt::to_string(p.rounds_kept); }},
      {"rounds_dropped", [](s p) { return fmt::to_string(p.rounds_dropped); }},
      {"additive", [](s p) { return p.additive ? truth(*p.additive) : ""; }},
      {"pus", [](s p) { return fmt::format("{}", fmt::join(p.pus, " ")); }},
      {"device", [](s p) { return p.device ? fmt::to_string(*p.device) : ""; }}};
}

/// Returns the columns after an axis, with values derived from the axis.
std::vector<csv_column> derived_from(std::string_view axis) {
  using s = const point_summary&;
  if (axis == "backend") return {{"family", [](s p) { return facts_of(p).family; }}};
  if (axis != "stride") return {};
  return {{"stride_bytes", [](s p) {
             const bool is_strided = p.what.placement == placement::strided;
             return is_strided ? fmt::to_string(stride_bytes(p.what)) : "";
           }}};
}

std::vector<csv_column> made_columns() {
  auto axes = axis_columns;
  std::ranges::sort(axes, {}, &axis_column::column);
  std::vector<csv_column> all;
  const auto add = [&all](const std::vector<csv_column>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  bool has_figures = false;
  for (const axis_column& sorted : axes) {
    if (sorted.shown == cell_shown::never) continue;
    if (sorted.column >= first_behind_figures && !std::exchange(has_figures, true)) add(figures());
    const auto axis = std::ranges::find(axis_columns, sorted.name, &axis_column::name);
    all.push_back(column_of(*axis));
    add(derived_from(axis->name));
  }
  if (!has_figures) add(figures());
  return all;
}

const std::vector<csv_column>& all_columns() {
  static const std::vector<csv_column> all = made_columns();
  return all;
}

// Turns a cell that a spreadsheet would read as a formula into text. Some spreadsheets also read
// the full-width forms: U+FF1D, U+FF0B, U+FF0D and U+FF20.
std::string without_formula(const std::string& cell) {
  constexpr std::array<std::string_view, 8> begins{
      "=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
  if (std::ranges::none_of(begins, [&](auto begin) { return cell.starts_with(begin); }))
    return cell;
  const auto value = nlohmann::json::parse(cell, nullptr, false);
  return value.is_number() ? cell : "'" + cell;
}

std::string quoted(const std::string& raw) {
  const std::string cell = without_formula(printable(raw, true));
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

template <class Cell> void add_line(std::string& csv, const Cell& cell) {
  bool first = true;
  for (const csv_column& column : all_columns()) {
    if (!first) csv += ',';
    first = false;
    csv += quoted(cell(column));
  }
  csv += "\r\n";
}

}  // namespace

std::string to_csv(const std::vector<point_summary>& points) {
  std::string csv;
  add_line(csv, [](const csv_column& column) { return column.name; });
  for (const point_summary& p : points) {
    add_line(csv, [&p](const csv_column& column) { return column.cell(p); });
    for (const point_summary& other : p.other_states)
      add_line(csv, [&other](const csv_column& column) { return column.cell(other); });
  }
  return csv;
}

std::string to_json_text(const std::vector<point_summary>& points) {
  auto rows = nlohmann::ordered_json::array();
  const auto add = [&rows](const point_summary& s) {
    auto row = nlohmann::ordered_json::object();
    for (const csv_column& column : all_columns()) {
      std::string cell = column.cell(s);
      if (cell.empty()) continue;
      // Numbers and booleans have the same spelling in CSV and JSON.
      const auto value = nlohmann::ordered_json::parse(cell, nullptr, false);
      if (value.is_number() || value.is_boolean()) row[column.name] = value;
      else row[column.name] = std::move(cell);
    }
    rows.push_back(std::move(row));
  };
  for (const point_summary& p : points) {
    add(p);
    std::ranges::for_each(p.other_states, add);
  }
  return rows.dump(1, ' ', true) + "\n";
}

}  // namespace syncmeter

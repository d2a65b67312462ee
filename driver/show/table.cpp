// The table of points, with the columns that fit a page.
#include "driver/show/table.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/show/axis_columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// Axes on which points of an op differ. The rest need no column.
struct varying {
  bool backend = false, order = false, affinity = false, wait = false, late = false;
};

// Returns "omp", or "omp (old)" in an arm.
std::string backend_text(const point& p) {
  return p.arm.empty() ? p.backend : fmt::format("{} ({})", p.backend, p.arm);
}

varying axes_that_vary(const std::vector<point_summary>& points) {
  std::set<std::string> backends;
  std::map<std::string, std::set<order>> orders;
  std::set<affinity> affinities;
  std::set<wait_policy> waits;
  varying v;
  for (const point_summary& s : points) {
    if (s.status == status::unsupported || s.status == status::elided) continue;
    backends.insert(backend_text(s.what));
    orders[s.what.op].insert(s.what.order);
    affinities.insert(s.what.affinity);
    waits.insert(s.what.wait);
    v.late = v.late || s.what.late_us != 0;
  }
  for (const auto& [op, of_op] : orders) v.order = v.order || of_op.size() > 1;
  v.backend = backends.size() > 1;
  v.affinity = affinities.size() > 1;
  v.wait = waits.size() > 1;
  return v;
}

// Returns the hop of the row's state, and its share of the rounds if there are other states. Busy
// rounds beside quiet rounds are common, and the notes have their share.
std::string share_text(const point_summary& s) {
  return s.state_text.starts_with("state") || s.state_text.starts_with("hop") ? s.state_text : "";
}

std::string unless_zero(unsigned value) { return value != 0 ? fmt::to_string(value) : ""; }

using enum columns::align;

/// A column and its cells. Columns before the cost are the same in every state of a point.
struct table_column {
  columns::column title;
  std::function<std::string(const table_row&)> cell;
};

table_column number(const char* title, unsigned point::* axis) {
  return {{title, right},
          [axis](const table_row& row) { return unless_zero(row.shown->what.*axis); }};
}

/// Adds a column for each axis in the group, in the order from record/axes.def.
void add_axes(std::vector<table_column>& all, axis_group group) {
  for (const axis_column& axis : axis_columns) {
    if (axis.group != group) continue;
    all.push_back({{axis.title, axis.is_number ? right : left}, [&axis](const table_row& row) {
                     return text_unless_usual(row.shown->what, axis.name);
                   }});
  }
}

void add(std::vector<table_column>& all, const std::vector<table_column>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// Shows the lanes' PUs, unless a policy with a fixed meaning implies them.
const table_column pus{{"CPUs"}, [](const table_row& row) {
                         const point& p = row.shown->what;
                         return p.affinity == affinity::quiet
                                    ? as_ranges(row.shown->pus)
                                    : fmt::format("{}", fmt::join(p.pus, ","));
                       }};
const table_column cost{{"ns/op", right},
                        [](const table_row& row) { return cost_text(*row.shown); }};
const table_column notes_of_row{{"notes"}, [](const table_row& row) { return remarks(row); }};

std::string text_if_cost(const point_summary& s, std::string (*text)(const interval&)) {
  return has_cost(s) ? text(s.cost_ns) : "";
}
std::string cycles_text(const table_row& row) {
  return has_cycles(*row.shown) ? nanoseconds(row.shown->cost_cycles.value) : "";
}
std::string rate_text(const table_row& row, double rates::* which) {
  const auto rate = rates_of(*row.shown);
  return rate ? engineering((*rate).*which) : "";
}
std::string interval_of(const table_row& row) { return text_if_cost(*row.shown, interval_text); }
std::string total_rate(const table_row& row) { return rate_text(row, &rates::total); }

columns with_titles(const std::vector<table_column>& of) {
  std::vector<columns::column> titles;
  for (const table_column& each : of) titles.push_back(each.title);
  return columns(std::move(titles));
}

// Adds a point's row, and a row per other placement without the cells common to all states.
void add_rows(columns& table, const std::vector<table_column>& of, const table_row& row) {
  const auto cells_of = [&of](const table_row& shown, bool all) {
    std::vector<std::string> cells;
    for (const table_column& each : of) {
      all = all || each.title.title == cost.title.title;
      cells.push_back(all ? each.cell(shown) : "");
    }
    return cells;
  };
  const status what = row.shown->status;
  table.row(cells_of(row, true), what == status::failed || what == status::timeout);
  for (const point_summary* other : other_placements(*row.shown))
    table.row(cells_of({other, "", "", ""}, false));
}

// Prints every column, for files and wide pages.
std::string wide_table(const std::vector<table_row>& rows, const varying& v, bool grouped) {
  using r = const table_row&;
  std::vector<table_column> all{
      {{"backend"}, [&](r row) { return v.backend ? backend_text(row.shown->what) : ""; }},
      {{"op"}, [](r row) { return row.shown->what.op; }},
      number("repeat", &point::repeat),
      {{"type"}, [](r row) { return type_text(row.shown->what); }},
      {{"order"},
       [&](r row) { return std::string(v.order ? to_text(row.shown->what.order) : ""); }}};
  add_axes(all, axis_group::operation);
  add(all, {{{"space"}, [](r row) { return text_unless_none(row.shown->what.space); }},
            {{"layout"}, [](r row) { return placement_text(row.shown->what); }},
            {{"blocks", right},
             [](r row) { return row.shown->device ? fmt::to_string(row.shown->what.blocks) : ""; }},
            number("threads", &point::lanes)});
  add_axes(all, axis_group::team);
  add(all, {{{"affinity"}, [&](r row) { return v.affinity ? row.affinities : ""; }},
            pus,
            {{"wait"},
             [&](r row) { return std::string(v.wait ? to_text(row.shown->what.wait) : ""); }}});
  add_axes(all, axis_group::waiting);
  add(all, {{{"late us", right},
             [&](r row) { return v.late ? fmt::to_string(row.shown->what.late_us) : ""; }}});
  add_axes(all, axis_group::work);
  add(all, {cost,
            {{"95 % interval", right}, interval_of},
            {{"cycles/op", right}, cycles_text},
            {{"ops/s/thread", right}, [](r row) { return rate_text(row, &rates::per_lane); }},
            {{"ops/s", right}, total_rate},
            {{"fair", right},
             [](r row) {
               const point_summary& s = *row.shown;
               return s.fairness > 0 && s.what.lanes * s.what.blocks > 1
                          ? fmt::format("{:.2f}", s.fairness)
                          : "";
             }},
            {{"state"}, [](r row) { return share_text(*row.shown); }},
            notes_of_row});
  columns table = with_titles(all);
  std::string group;
  for (const table_row& row : rows) {
    const std::string family = facts_of(*row.shown).family;
    if (grouped && family != group) table.heading(family);
    group = family;
    add_rows(table, all, row);
  }
  return table.text();
}

/// Axes in words. A section's heading has the words common to all rows.
struct section_words {
  std::vector<std::string> common, of_row;
};

// Returns an entry for each axis, empty if a row has no word for it.
std::vector<std::string> axis_words(const table_row& row, bool with_backend) {
  const point& p = row.shown->what;
  std::vector<std::string> words{with_backend ? backend_text(p) : "", type_text(p),
                                 p.order == order::unordered ? "" : std::string(to_text(p.order))};
  const auto add_group = [&](axis_group group) {
    for (const axis_column& axis : axis_columns)
      if (axis.group == group) words.push_back(text_unless_usual(p, axis.name));
  };
  add_group(axis_group::operation);
  words.emplace_back(p.space == space::shared_memory ? "shared memory" : "");
  words.push_back(row.affinities == "none" ? "" : row.affinities);
  words.emplace_back(p.wait == wait_policy::active ? "" : to_text(p.wait));
  add_group(axis_group::waiting);
  words.push_back(placement_text(p));
  return words;
}

std::vector<section_words> words_of(std::span<const table_row> rows, bool with_backend) {
  std::vector<std::vector<std::string>> words;
  for (const table_row& row : rows) words.push_back(axis_words(row, with_backend));
  std::vector<section_words> found(rows.size());
  for (std::size_t axis = 0; axis < words.front().size(); ++axis) {
    const bool same = std::ranges::all_of(
        words, [&](const auto& of_row) { return of_row[axis] == words.front()[axis]; });
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (const std::string& word = words[r][axis]; !word.empty())
        (same ? found[r].common : found[r].of_row).push_back(word);
  }
  return found;
}

// Prints rows of one backend and family, or `mixed` rows, whose order stays.
std::string section_text(std::span<const table_row> section, page_style style, bool mixed = false) {
  using r = const table_row&;
  const std::vector<section_words> words = words_of(section, mixed);
  std::vector<table_row> rows(section.begin(), section.end());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].words = join(words[i].of_row, " ");
  const bool on_gpu = rows.front().shown->device.has_value();
  // An op gets its own heading if the axis words leave no room in the row.
  const auto make = [&](bool op_in_row) {
    std::vector<table_column> all{
        {{op_in_row ? "op" : ""}, [=](r row) { return op_in_row ? row.shown->what.op : ""; }},
        number("repeat", &point::repeat),
        {{""}, [](r row) { return row.words; }},
        {{on_gpu ? "grid" : "threads", right}, [](r row) {
           const point& p = row.shown->what;
           return row.shown->device ? fmt::format("{} x {}", p.blocks, p.lanes)
                                    : fmt::to_string(p.lanes);
         }}};
    add_axes(all, axis_group::team);
    add(all, {pus, number("late us", &point::late_us)});
    add_axes(all, axis_group::work);
    add(all,
        {cost,
         {{"95 % interval", right, 2}, interval_of},
         {{"+-", right, 1, "95 % interval"}, [](r row) { return text_if_cost(*row.shown, reach); }},
         {{"cycles", right, 3}, cycles_text},
         {{"ops/s", right, 4}, total_rate},
         {{"line ns", right, 1},
          [](r row) {
            return row.shown->hop_ns > 0 ? fmt::format("{:.0f}", row.shown->hop_ns) : "";
          }},
         notes_of_row});
    columns table = with_titles(all);
    std::string op;
    for (const table_row& row : rows) {
      if (!op_in_row && std::exchange(op, row.shown->what.op) != row.shown->what.op)
        table.heading("  " + op);
      add_rows(table, all, row);
    }
    return table;
  };
  columns table = make(true);
  if (!mixed && !table.fits(style.width)) table = make(false);
  std::string heading = mixed ? "by cost" : facts_of(*rows.front().shown).family;
  if (!words.front().common.empty()) heading += ": " + join(words.front().common, ", ");
  return painted(printable(heading), "1", style.colour) + "\n" + table.text(style);
}

}  // namespace

std::string point_table(const std::vector<point_summary>& points, page_style style, bool by_cost) {
  std::vector<table_row> rows = rows_of(points);
  if (by_cost) {
    std::ranges::stable_sort(rows, [](const table_row& a, const table_row& b) {
      const auto cost = [](const table_row& row) {
        return has_cost(*row.shown) ? row.shown->cost_ns.value
                                    : std::numeric_limits<double>::infinity();
      };
      return cost(a) < cost(b);
    });
  }
  const std::size_t pairs_left_out = keep_some_pairs(rows);
  if (rows.empty()) return "No configuration was measured.\n";
  const varying v = axes_that_vary(points);
  std::string text;
  if (style.width == 0) {
    text = wide_table(rows, v, !by_cost);
  } else if (by_cost) {
    text = section_text(rows, style, true);
  } else {
    std::string backend = v.backend ? "" : backend_text(rows.front().shown->what);
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      const point_summary& first = *rows[begin].shown;
      while (end < rows.size() && backend_text(rows[end].shown->what) == backend_text(first.what) &&
             facts_of(*rows[end].shown).family == facts_of(first).family)
        ++end;
      if (!text.empty()) text += "\n";
      if (const std::string own = backend_text(first.what); std::exchange(backend, own) != own)
        text += painted("== " + printable(own), "1", style.colour) + "\n";
      text += section_text(std::span(rows).subspan(begin, end - begin), style);
    }
  }
  if (pairs_left_out == 0) return text;
  return text + fmt::format("... and {} more pairs of CPUs; --csv writes all\n", pairs_left_out);
}

}  // namespace syncmeter

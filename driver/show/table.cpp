// The table of points: which columns it needs on a page of some width.
#include "driver/show/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/show/figures.hpp"
#include "driver/show/table_rows.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/text/quote.hpp"
#include "driver/text/ranges.hpp"

namespace syncmeter {
namespace {

/// Axes on which points of one op differ; the others need no column.
struct varying {
  bool backend = false, order = false, affinity = false, wait = false, late = false;
  bool any_gpu = false, any_cpu = false;
};

// "omp", or "omp (old)" in an arm.
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
    (s.device ? v.any_gpu : v.any_cpu) = true;
    backends.insert(backend_text(s.what));
    orders[s.what.op].insert(s.what.order);
    affinities.insert(s.what.affinity);
    waits.insert(s.what.wait);
    v.late = v.late || s.what.late_us != 0;
  }
  for (const auto& [op, seen] : orders) v.order = v.order || seen.size() > 1;
  v.backend = backends.size() > 1;
  v.affinity = affinities.size() > 1;
  v.wait = waits.size() > 1;
  return v;
}

// The hop of the row's state, and its share of the rounds where there were others. Some busy rounds
// beside quiet ones are everyday; the notes have their share.
std::string share_text(const point_summary& s) {
  return s.state.starts_with("state") || s.state.starts_with("hop") ? s.state : "";
}

std::string unless_zero(unsigned value) { return value != 0 ? fmt::to_string(value) : ""; }

// Where lanes sit, unless a policy says so that always means the same.
std::string pus_text_of(const point_summary& s) {
  return s.what.affinity == affinity::quiet ? as_ranges(s.pus)
                                            : fmt::format("{}", fmt::join(s.what.pus, ","));
}

std::vector<std::string> cells_of(const table_row& row, const varying& v) {
  const point_summary& s = *row.shown;
  const auto rate = rates_of(s);
  return {v.backend ? backend_text(s.what) : "",
          s.what.op,
          s.what.repeat != 0 ? fmt::to_string(s.what.repeat) : "",
          type_text(s.what),
          v.order ? std::string(to_text(s.what.order)) : "",
          text_unless_none(s.what.scope),
          text_unless_none(s.what.flavour),
          text_unless_none(s.what.space),
          placement_text(s.what),
          s.device ? fmt::to_string(s.what.blocks) : "",
          fmt::to_string(s.what.lanes),
          s.what.active != 0 ? fmt::to_string(s.what.active) : "",
          s.what.size != 0 ? fmt::to_string(s.what.size) : "",
          v.affinity ? row.affinities : "",
          pus_text_of(s),
          v.wait ? std::string(to_text(s.what.wait)) : "",
          text_unless_none(s.what.home),
          v.late ? fmt::to_string(s.what.late_us) : "",
          unless_zero(s.what.section_ns),
          unless_zero(s.what.think_ns),
          unless_zero(s.what.reads_per_write),
          cost_text(s),
          has_cost(s) ? interval_text(s.cost_ns) : "",
          has_cycles(s) ? nanoseconds(s.cost_cycles.value) : "",
          rate ? engineering(rate->per_lane) : "",
          rate ? engineering(rate->total) : "",
          s.visits != 0 && s.what.lanes * s.what.blocks > 1 ? fmt::format("{:.2f}", s.fairness)
                                                            : "",
          share_text(s),
          remarks(row)};
}

// What is the same in every state is not repeated.
std::vector<std::string> cells_of_placement(const point_summary& s) {
  constexpr std::ptrdiff_t from_cost_on = 8;
  std::vector<std::string> cells = cells_of({&s, "", ""}, {});
  std::fill(cells.begin(), cells.end() - from_cost_on, "");
  return cells;
}

using enum columns::align;

bool alarming(const point_summary& s) {
  return s.status == status::failed || s.status == status::timeout;
}

// Every column, for files and wide pages.
std::string wide_table(const std::vector<table_row>& rows, const varying& v, bool grouped) {
  columns table({{"backend"},
                 {"op"},
                 {"repeat", right},
                 {"type"},
                 {"order"},
                 {"scope"},
                 {"flavour"},
                 {"space"},
                 {"placement"},
                 {"blocks", right},
                 {v.any_gpu && !v.any_cpu ? "threads" : "lanes", right},
                 {"active", right},
                 {"size", right},
                 {"affinity"},
                 {"PUs"},
                 {"wait"},
                 {"home"},
                 {"late us", right},
                 {"inside ns", right},
                 {"outside ns", right},
                 {"reads/write", right},
                 {"ns/op", right},
                 {"95 % interval", right},
                 {"cycles/op", right},
                 {"ops/s/lane", right},
                 {"ops/s", right},
                 {"fair", right},
                 {"state"},
                 {"notes"}});
  std::string group;
  for (const table_row& row : rows) {
    const std::string family = facts_of(*row.shown).family;
    if (grouped && family != group) table.heading(family);
    group = family;
    table.row(cells_of(row, v), alarming(*row.shown));
    for (const point_summary* other : other_placements(*row.shown))
      table.row(cells_of_placement(*other));
  }
  return table.text();
}

/// Axes that are told in words. What all rows of a section have in common stands in its heading.
struct section_words {
  std::vector<std::string> common, of_row;
};

// An entry for each axis, empty where a row has nothing to say of it.
std::vector<std::string> axis_words(const table_row& row, bool with_backend) {
  const point& p = row.shown->what;
  return {with_backend ? backend_text(p) : "",
          type_text(p),
          p.order == order::unordered ? "" : std::string(to_text(p.order)),
          text_unless_none(p.scope),
          text_unless_none(p.flavour),
          p.space == space::shared_memory ? "shared memory" : "",
          row.affinities == "none" ? "" : row.affinities,
          p.wait == wait_policy::active ? "" : std::string(to_text(p.wait)),
          text_unless_none(p.home),
          placement_text(p)};
}

std::vector<section_words> words_of(std::span<const table_row> rows, bool with_backend) {
  std::vector<std::vector<std::string>> words;
  for (const table_row& row : rows) words.push_back(axis_words(row, with_backend));
  std::vector<section_words> found(rows.size());
  for (std::size_t axis = 0; axis < words.front().size(); ++axis) {
    const bool same = std::all_of(words.begin(), words.end(), [&](const auto& of_row) {
      return of_row[axis] == words.front()[axis];
    });
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (const std::string& word = words[r][axis]; !word.empty())
        (same ? found[r].common : found[r].of_row).push_back(word);
    }
  }
  return found;
}

std::vector<std::string> narrow_cells(const table_row& row, const section_words& words) {
  const point_summary& s = *row.shown;
  const auto rate = rates_of(s);
  return {s.what.op,
          s.what.repeat != 0 ? fmt::to_string(s.what.repeat) : "",
          join(words.of_row, " "),
          s.device ? fmt::format("{} x {}", s.what.blocks, s.what.lanes)
                   : fmt::to_string(s.what.lanes),
          s.what.active != 0 ? fmt::to_string(s.what.active) : "",
          s.what.size != 0 ? fmt::to_string(s.what.size) : "",
          pus_text_of(s),
          unless_zero(s.what.late_us),
          unless_zero(s.what.section_ns),
          unless_zero(s.what.think_ns),
          unless_zero(s.what.reads_per_write),
          cost_text(s),
          has_cost(s) ? interval_text(s.cost_ns) : "",
          has_cost(s) ? reach(s.cost_ns) : "",
          has_cycles(s) ? nanoseconds(s.cost_cycles.value) : "",
          rate ? engineering(rate->total) : "",
          s.hop_ns > 0 ? fmt::format("{:.0f}", s.hop_ns) : "",
          remarks(row)};
}

// Rows of one backend and family, or `mixed` ones, whose order stays.
std::string section_text(std::span<const table_row> rows, page_style style, bool mixed = false) {
  const std::vector<section_words> words = words_of(rows, mixed);
  const bool on_gpu = rows.front().shown->device.has_value();
  // Where the words of the axes leave no room for it, an op is a heading of its own.
  const auto make = [&](bool op_in_row) {
    columns table({{op_in_row ? "op" : ""},
                   {"repeat", right},
                   {""},
                   {on_gpu ? "grid" : "lanes", right},
                   {"active", right},
                   {"size", right},
                   {"PUs"},
                   {"late us", right},
                   {"inside ns", right},
                   {"outside ns", right},
                   {"reads/write", right},
                   {"ns/op", right},
                   {"95 % interval", right, 2},
                   {"+-", right, 0, "95 % interval"},
                   {"cycles", right, 3},
                   {"ops/s", right, 4},
                   {"hop", right, 1},
                   {"notes"}});
    std::string op;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const point_summary& s = *rows[r].shown;
      std::vector<std::string> cells = narrow_cells(rows[r], words[r]);
      if (!op_in_row) {
        if (std::exchange(op, s.what.op) != s.what.op) table.heading("  " + op);
        cells.front().clear();
      }
      table.row(std::move(cells), alarming(s));
      for (const point_summary* other : other_placements(s)) {
        std::vector<std::string> state = narrow_cells({other, "", ""}, {});
        // What is the same in every state is not repeated.
        std::fill_n(state.begin(), 11, "");
        table.row(std::move(state));
      }
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
    std::stable_sort(rows.begin(), rows.end(), [](const table_row& a, const table_row& b) {
      const auto cost = [](const table_row& row) {
        return has_cost(*row.shown) ? row.shown->cost_ns.value
                                    : std::numeric_limits<double>::infinity();
      };
      return cost(a) < cost(b);
    });
  }
  const std::size_t pairs_left_out = keep_some_pairs(rows);
  if (rows.empty()) return "No point was measured.\n";
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
  return text + fmt::format("... and {} more pairs of PUs; --csv writes all\n", pairs_left_out);
}

}  // namespace syncmeter

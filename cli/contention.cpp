#include "cli/contention.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "cli/figures.hpp"
#include "cli/pinned_lanes.hpp"
#include "cli/table.hpp"

namespace syncmeter {
namespace {

// The farthest two lanes that have a cell in common.
std::optional<sharing> joined_by(const point_summary& s,
                                 const std::vector<processing_unit>& units) {
  const unsigned lanes = s.what.lanes;
  const unsigned cells = cells_in_use(s.what);
  std::optional<sharing> farthest;
  for (unsigned a = 0; a < lanes; ++a) {
    for (unsigned b = a + 1; b < lanes; ++b) {
      if (cell_of(a, cells, lanes) != cell_of(b, cells, lanes)) continue;
      if (s.pus.size() != lanes) return std::nullopt;
      const auto one = std::ranges::find(units, s.pus[a], &processing_unit::os);
      const auto other = std::ranges::find(units, s.pus[b], &processing_unit::os);
      if (one == units.end() || other == units.end()) return std::nullopt;
      farthest = std::max(farthest.value_or(sharing::core), shared_by(*one, *other));
    }
  }
  return farthest;
}

void fill(contention_row& row, const point_summary* alone,
          const std::vector<processing_unit>& units, const measured_costs& costs) {
  const auto one = row.by_cells.find(1);
  for (auto& [cells, c] : row.by_cells) {
    c.joined_by = joined_by(*c.seen, units);
    if (one != row.by_cells.end() && cells != 1)
      c.throughput_over_one =
          inverse(ratio_of(costs, *c.seen, *one->second.seen, ratio_in_one_state));
  }
  if (one != row.by_cells.end() && alone != nullptr && row.what.lanes > 1)
    row.over_alone = times(row.what.lanes,
                           inverse(ratio_of(costs, *one->second.seen, *alone, ratio_of_likeliest)));
}

bool belongs(const point_summary& s) {
  return !s.device && s.visits != 0 && s.what.placement == placement::strided && s.what.cells != 0;
}

point without_cells(point p) {
  p.cells = 0;
  return p;
}

point without_lanes(point p) {
  p.cells = 0;
  p.lanes = 1;
  p.affinity = affinity::none;
  return p;
}

}  // namespace

std::vector<contention_row> contention_of(const results_file& file,
                                          const std::vector<point_summary>& points) {
  struct gathered {
    contention_row row;
    std::set<std::string> measured;
  };
  std::map<std::string, gathered> by_point;
  std::map<std::string, const point_summary*> alone;
  for (const point_summary& s : points) {
    if (!belongs(s)) continue;
    if (s.what.lanes == 1) alone.try_emplace(canonical(without_lanes(s.what)), &s);
    gathered& g = by_point[canonical(without_cells(s.what))];
    if (g.row.by_cells.empty()) g.row.what = s.what;
    g.row.by_cells[s.what.cells].seen = &s;
    g.measured.insert(measured_name(s));
  }
  std::vector<gathered*> ordered;
  for (auto& [key, g] : by_point) ordered.push_back(&g);
  const auto rank = [](const gathered* g) {
    const point& p = g->row.what;
    return std::tuple(std::string_view(p.backend), facts_of(p.op).rank, std::string_view(p.op),
                      p.type, p.order, p.affinity, p.wait, p.lanes);
  };
  std::ranges::stable_sort(ordered, {}, rank);
  const std::vector<processing_unit> units = units_from(file.campaign);
  const measured_costs costs = costs_by_point(file, state_classes(file));
  std::vector<contention_row> rows;
  std::map<std::set<std::string>, std::size_t> row_of;
  for (gathered* g : ordered) {
    const std::string affinity(to_text(g->row.what.affinity));
    const auto [found, is_new] = row_of.try_emplace(g->measured, rows.size());
    if (!is_new) {
      rows[found->second].affinities += ", " + affinity;
      continue;
    }
    g->row.affinities = affinity;
    const auto lone = alone.find(canonical(without_lanes(g->row.what)));
    fill(g->row, lone == alone.end() ? nullptr : lone->second, units, costs);
    rows.push_back(std::move(g->row));
  }
  return rows;
}

std::vector<near_and_far> near_against_far(const results_file& file,
                                           const std::vector<contention_row>& rows) {
  const measured_costs costs = costs_by_point(file, state_classes(file));
  const auto key = [](const contention_row& row) {
    point p = without_cells(row.what);
    p.affinity = affinity::none;
    return canonical(p);
  };
  std::vector<near_and_far> found;
  std::set<std::string> done;
  for (const contention_row& first : rows) {
    if (!done.insert(key(first)).second) continue;
    std::set<unsigned> numbers;
    for (const auto& [cells, seen] : first.by_cells) numbers.insert(cells);
    for (const unsigned cells : numbers) {
      // One row for each distance; policies that differ in the order of lanes alone may share one.
      std::map<sharing, const contention_row*> by_distance;
      for (const contention_row& row : rows) {
        const auto at = row.by_cells.find(cells);
        if (key(row) != key(first) || at == row.by_cells.end()) continue;
        if (at->second.joined_by && has_cost(*at->second.seen))
          by_distance.try_emplace(*at->second.joined_by, &row);
      }
      for (const auto& [distance, row] : by_distance) {
        const contention_row* const near = by_distance.begin()->second;
        if (row == near) continue;
        found.push_back(
            {.near = near,
             .far = row,
             .cells = cells,
             .far_over_near = ratio_of(costs, *row->by_cells.at(cells).seen,
                                       *near->by_cells.at(cells).seen, ratio_of_likeliest)});
      }
    }
  }
  return found;
}

}  // namespace syncmeter

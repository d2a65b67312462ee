#include "cli/false_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "cli/figures.hpp"
#include "cli/visit_ratios.hpp"

namespace syncmeter {
namespace {

/// Cells of one type at one stride: what was measured of them.
struct measured_cells {
  const point_summary* summary = nullptr;
  const costs_by_visit* costs = nullptr;
};
/// By stride in bytes, then by type.
using cells_by_stride = std::map<unsigned, std::map<value_type, measured_cells>>;

// Busy with busy, quiet with quiet: a shared core is no property of the cells.
std::optional<double> log_ratio_in(unsigned state, const costs_by_state& a,
                                   const costs_by_state& b) {
  for (const bool busy : {false, true}) {
    const auto one = a.find({state, busy});
    const auto other = b.find({state, busy});
    if (one != a.end() && other != b.end()) return std::log(one->second.ns / other->second.ns);
  }
  return std::nullopt;
}

// For each visit the logarithms of the types that both layouts have in this state.
std::map<unsigned, std::vector<double>> logs_in(unsigned state,
                                                const std::map<value_type, measured_cells>& cells,
                                                const std::map<value_type, measured_cells>& other) {
  std::map<unsigned, std::vector<double>> logs;
  for (const auto& [type, measured] : cells) {
    const auto match = other.find(type);
    if (match == other.end()) continue;
    if (!has_cost(*measured.summary) || !has_cost(*match->second.summary)) continue;
    for (const auto& [visit, costs] : *measured.costs) {
      const auto same_visit = match->second.costs->find(visit);
      if (same_visit == match->second.costs->end()) continue;
      if (const auto log = log_ratio_in(state, costs, same_visit->second))
        logs[visit].push_back(*log);
    }
  }
  return logs;
}

std::string why_no_ratio(const std::map<value_type, measured_cells>& cells,
                         const std::map<value_type, measured_cells>& other, std::size_t visits) {
  if (visits == 1) return "one visit alone has both in one placement state";
  for (const auto* side : {&cells, &other}) {
    const bool known = std::any_of(side->begin(), side->end(),
                                   [](const auto& c) { return has_cost(*c.second.summary); });
    if (known || side->empty()) continue;
    const point_summary& s = *side->begin()->second.summary;
    return fmt::format("cells {} B apart have no cost to compare ({})", stride_bytes(s.what),
                       to_text(s.status));
  }
  return "no visit has both in one placement state";
}

cost_ratio compare(unsigned state, const std::map<value_type, measured_cells>& cells,
                   const std::map<value_type, measured_cells>& other) {
  std::vector<double> visits;
  for (const auto& [number, logs] : logs_in(state, cells, other))
    visits.push_back(std::exp(median(logs)));
  cost_ratio found;
  found.visits = visits.size();
  if (visits.size() < 2) found.reason = why_no_ratio(cells, other, visits.size());
  if (visits.empty()) return found;
  found.ratio = over_visits(visits);
  return found;
}

// The state in which most comparisons can be made. Across states a stride would be compared with
// where a hypervisor put the lanes.
unsigned state_of(const cells_by_stride& cells, const std::map<value_type, measured_cells>& apart) {
  std::set<unsigned> states;
  for (const auto& [type, measured] : apart) {
    for (const auto& [visit, costs] : *measured.costs) {
      for (const auto& [state, cost] : costs) states.insert(state.first);
    }
  }
  unsigned best = 0;
  std::size_t most = 0;
  for (const unsigned state : states) {
    std::size_t pairs = 0;
    for (const auto& [stride, by_type] : cells) {
      for (const auto& [visit, logs] : logs_in(state, by_type, apart)) pairs += logs.size();
    }
    if (pairs > most) std::tie(best, most) = std::tuple(state, pairs);
  }
  return best;
}

std::string cannot_compare(unsigned stride, const cost_ratio& r) {
  if (!r.reason.empty()) return fmt::format("at {} B {}", stride, r.reason);
  return fmt::format("at {} B the ratio is {:.3f} ({:.3f}..{:.3f}, {} visits): {}", stride,
                     r.ratio.value, r.ratio.low, r.ratio.high, r.visits,
                     r.says() == comparison::cheaper ? "less than cells apart, which are no control"
                                                     : "neither the same nor more");
}

interference_size size_of(const sharing_row& row) {
  interference_size size;
  if (!row.has_control) {
    size.reason = fmt::format("no cells {} B apart to compare with", apart_bytes);
    return size;
  }
  for (std::size_t i = 0; i < row.strides.size(); ++i) {
    const comparison c = row.over_apart[i].says();
    if (c == comparison::dearer) {
      // A hypervisor's or a prefetcher's doing, but no size.
      if (size.bytes) {
        size.reason = fmt::format("{} B apart cost the same as cells apart, {} B more", *size.bytes,
                                  row.strides[i]);
        size.bytes.reset();
        size.dearer_at = row.strides[i];
        return size;
      }
      size.dearer_at = row.strides[i];
    }
    if (c == comparison::same && !size.bytes && size.reason.empty()) size.bytes = row.strides[i];
    const bool below = !size.bytes && size.reason.empty();
    if (below && c != comparison::dearer)
      size.reason = cannot_compare(row.strides[i], row.over_apart[i]);
  }
  if (!size.bytes && size.reason.empty())
    size.reason = fmt::format("even {} B apart cost more than cells {} B apart",
                              row.strides.empty() ? 0 : row.strides.back(), apart_bytes);
  return size;
}

void fill(sharing_row& row, const cells_by_stride& all, const state_classes& classes) {
  static const std::map<value_type, measured_cells> none;
  const auto at = [&all](unsigned stride) -> const std::map<value_type, measured_cells>& {
    const auto found = all.find(stride);
    return found == all.end() ? none : found->second;
  };
  cells_by_stride near = all;
  near.erase(near.lower_bound(apart_bytes), near.end());
  const auto& apart = at(apart_bytes);
  row.has_control = !apart.empty();
  const unsigned state = state_of(near, apart);
  if (classes.several()) row.state = state;
  std::map<value_type, std::pair<unsigned, measured_cells>> smallest;
  for (const auto& [stride, cells] : near) {
    row.strides.push_back(stride);
    row.over_apart.push_back(compare(state, cells, apart));
    for (const auto& [type, measured] : cells) {
      if (stride == size_of(type)) smallest.try_emplace(type, stride, measured);
    }
  }
  row.next_line = compare(state, at(64), at(128));
  for (const auto& [type, cells] : smallest) {
    row.one_element.push_back(
        {.type = type, .over_apart = compare(state, {{type, cells.second}}, apart)});
  }
  std::set<value_type> types;
  for (const auto& [stride, cells] : all) {
    for (const auto& [type, measured] : cells) types.insert(type);
  }
  row.types.assign(types.begin(), types.end());
  row.size = size_of(row);
}

}  // namespace

comparison cost_ratio::says() const {
  if (visits < 2) return comparison::open;
  if (ratio.low >= 1 / (1 + same_within) && ratio.high <= 1 + same_within) return comparison::same;
  if (ratio.low > 1 + same_within) return comparison::dearer;
  if (ratio.high < 1 / (1 + same_within)) return comparison::cheaper;
  return comparison::open;
}

std::vector<sharing_row> false_sharing_of(const results_file& file,
                                          const std::vector<point_summary>& points) {
  const state_classes classes(file);
  const measured_costs costs = costs_by_point(file, classes);
  struct gathered {
    point first;
    cells_by_stride cells;
    std::set<std::string> measured;  // names: equal where two affinities share all measurements
  };
  std::map<std::string, gathered> by_key;
  for (const point_summary& s : points) {
    const point& p = s.what;
    if (s.device || s.visits == 0 || p.placement != placement::strided || !p.type || p.lanes < 2 ||
        p.stride == 0 || p.cells != 0)
      continue;
    const std::string name = measured_name(s);
    const auto found = costs.find(name);
    if (found == costs.end()) continue;
    point key = p;
    key.type.reset();
    key.stride = 0;
    gathered& row = by_key[canonical(key)];
    if (row.cells.empty()) row.first = p;
    row.cells[static_cast<unsigned>(stride_bytes(p))][*p.type] = {&s, &found->second};
    row.measured.insert(name);
  }
  std::vector<const gathered*> ordered;
  for (const auto& [key, row] : by_key) ordered.push_back(&row);
  const auto rank = [](const gathered* g) {
    return std::tuple(std::string_view(g->first.backend), facts_of(g->first.op).rank,
                      g->first.base_offset, g->first.lanes, g->first.affinity);
  };
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  std::vector<sharing_row> rows;
  std::map<std::set<std::string>, std::size_t> row_of;
  for (const gathered* g : ordered) {
    const std::string affinity(to_text(g->first.affinity));
    const auto [found, is_new] = row_of.try_emplace(g->measured, rows.size());
    if (!is_new) {
      rows[found->second].affinities += ", " + affinity;
      continue;
    }
    sharing_row row;
    row.what = g->first;
    row.affinities = affinity;
    fill(row, g->cells, classes);
    rows.push_back(std::move(row));
  }
  return rows;
}

interference_size size_of_all(const std::vector<const sharing_row*>& rows) {
  interference_size all;
  for (const sharing_row* row : rows) {
    all.dearer_at = std::max(all.dearer_at, row->size.dearer_at);
    if (row->size.bytes) all.bytes = std::max(all.bytes.value_or(0), *row->size.bytes);
    else if (all.reason.empty()) all.reason = row->size.reason;
  }
  if (!all.bytes || all.dearer_at < *all.bytes) return all;
  all.reason = fmt::format("some cells {} B apart cost the same as cells apart, others {} B more",
                           *all.bytes, all.dearer_at);
  all.bytes.reset();
  return all;
}

}  // namespace syncmeter

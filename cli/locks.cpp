#include "cli/locks.hpp"

#include <algorithm>
#include <string_view>

#include "cli/figures.hpp"
#include "cli/table.hpp"

namespace syncmeter {
namespace {

constexpr std::string_view alternative = "atomic_add";

// shared_mutex_read and its like let lanes in together: no alternative to a lock round an add.
bool belongs(const point_summary& s) {
  if (s.device || s.visits == 0 || !s.what.type || cells_in_use(s.what) == 0) return false;
  const bool lock = facts_of(s).family == "critical" && s.what.op.ends_with("_add");
  return lock || s.what.op == alternative;
}

point common_part(point p) {
  p.backend = p.op = "";
  p.order = order::unordered;
  p.placement = placement::none;
  p.stride = p.base_offset = p.cells = 0;
  p.lanes = 1;
  return p;
}

point row_part(point p) {
  const point common = common_part(p);
  p.placement = common.placement;
  p.stride = p.base_offset = p.cells = 0;
  p.lanes = 1;
  return p;
}

double ns_at(const lock_row& row, unsigned lanes) { return row.cost_at(lanes)->cost_ns.value; }

std::optional<std::size_t> cheapest(const std::vector<lock_row>& rows, unsigned lanes) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].is_lock() || rows[i].cost_at(lanes) == nullptr) continue;
    if (!best || ns_at(rows[i], lanes) < ns_at(rows[*best], lanes)) best = i;
  }
  return best;
}

const lock_row* atomic_of(const std::vector<lock_row>& rows, const std::string& backend) {
  for (const lock_row& row : rows) {
    if (!row.is_lock() && row.what.backend == backend) return &row;
  }
  return nullptr;
}

void compare(lock_table& table, const measured_costs& costs) {
  const auto over = [&](const lock_row& row, const lock_row* other, unsigned lanes) -> visit_ratio {
    if (other == nullptr || other == &row) return {};
    const point_summary* const a = row.cost_at(lanes);
    const point_summary* const b = other->cost_at(lanes);
    if (a == nullptr || b == nullptr) return {};
    return ratio_of(costs, *a, *b, ratio_in_one_state);
  };
  const auto row_at = [&table](std::optional<std::size_t> index) {
    return index ? &table.rows[*index] : nullptr;
  };
  for (lock_row& row : table.rows) {
    const lock_row* const atomic = atomic_of(table.rows, row.what.backend);
    row.alone_over_atomic = over(row, atomic, 1);
    row.shared_over_atomic = over(row, atomic, table.most_lanes);
    row.alone_over_cheapest = over(row, row_at(table.cheapest_alone), 1);
    row.shared_over_cheapest = over(row, row_at(table.cheapest_shared), table.most_lanes);
  }
}

}  // namespace

bool lock_row::is_lock() const { return what.op != alternative; }

const point_summary* lock_row::cost_at(unsigned lanes) const {
  const auto found = on_one.find(lanes);
  return found != on_one.end() && has_cost(*found->second) ? found->second : nullptr;
}

std::vector<lock_table> lock_tables(const results_file& file,
                                    const std::vector<point_summary>& points) {
  std::vector<const point_summary*> ordered;
  for (const point_summary& s : points) {
    if (belongs(s)) ordered.push_back(&s);
  }
  std::ranges::stable_sort(ordered,
                           [](const auto* a, const auto* b) { return comes_before(*a, *b); });
  std::vector<lock_table> tables;
  const auto row_for = [&tables](const point& p) -> lock_row& {
    const point common = common_part(p);
    auto table = std::ranges::find(tables, common, &lock_table::what);
    if (table == tables.end()) table = tables.insert(tables.end(), {.what = common});
    table->most_lanes = std::max(table->most_lanes, p.lanes);
    const point what = row_part(p);
    auto row = std::ranges::find(table->rows, what, &lock_row::what);
    if (row == table->rows.end()) row = table->rows.insert(table->rows.end(), {.what = what});
    return *row;
  };
  for (const point_summary* s : ordered) {
    lock_row& row = row_for(s->what);
    if (cells_in_use(s->what) == 1 || s->what.lanes == 1) row.on_one.try_emplace(s->what.lanes, s);
    else if (cells_in_use(s->what) == s->what.lanes &&
             (row.own == nullptr || row.own->what.lanes < s->what.lanes))
      row.own = s;
  }
  const state_classes classes(file);
  const measured_costs costs = costs_by_point(file, classes);
  for (lock_table& table : tables) {
    table.cheapest_alone = cheapest(table.rows, 1);
    table.cheapest_shared = cheapest(table.rows, table.most_lanes);
    compare(table, costs);
  }
  return tables;
}

double least_fairness(unsigned lanes) {
  double rates = 0, squares = 0;
  for (unsigned lane = 1; lane <= lanes; ++lane) {
    rates += 1.0 / lane;
    squares += 1.0 / lane / lane;
  }
  return lanes == 0 ? 1 : rates * rates / (lanes * squares);
}

}  // namespace syncmeter

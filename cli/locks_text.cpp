// The tables of locks, and what follows from them in sentences.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/figures.hpp"
#include "cli/locks.hpp"
#include "cli/parse_axes.hpp"
#include "cli/studies.hpp"

namespace syncmeter {
namespace {

using enum columns::align;

std::string ns_text(const point_summary* s) {
  if (s == nullptr) return "";
  if (has_cost(*s)) return nanoseconds(s->cost_ns.value);
  return has_upper_bound(*s) ? "< " + upper_bound_ns(s->cost_ns.high) : "-";
}

std::string total_text(const point_summary* s) {
  const auto rate = s != nullptr ? rates_of(*s) : std::nullopt;
  return rate ? engineering(rate->total) : "";
}

std::string name_of(const lock_row& row) {
  return fmt::format("{} {}", row.what.backend, row.what.op);
}

const point_summary* on_one(const lock_row& row, unsigned lanes) {
  const auto found = row.on_one.find(lanes);
  return found == row.on_one.end() ? nullptr : found->second;
}

std::string cost_table(const lock_table& table) {
  columns text({{"backend", left},
                {"lock", left},
                {"alone ns", right},
                {"own ns", right},
                {"shared ns", right},
                {"ops/s", right},
                {"fair", right},
                {"slow/fast", right},
                {"over cheapest", right},
                {"95 % interval", right},
                {"over atomic_add", right},
                {"95 % interval", right},
                {"", left}});
  const bool together = table.most_lanes > 1;
  for (const lock_row& row : table.rows) {
    const point_summary* const shared = together ? on_one(row, table.most_lanes) : nullptr;
    const bool fair = shared != nullptr && has_cost(*shared);
    const auto reference = together ? table.cheapest_shared : table.cheapest_alone;
    const visit_ratio& cheapest = together ? row.shared_over_cheapest : row.alone_over_cheapest;
    const visit_ratio& atomic = together ? row.shared_over_atomic : row.alone_over_atomic;
    text.row({row.what.backend, row.what.op, ns_text(on_one(row, 1)), ns_text(row.own),
              ns_text(shared), total_text(together ? shared : row.cost_at(1)),
              fair ? fmt::format("{:.3f}", shared->fairness) : "",
              fair ? fmt::format("{:.2f}", shared->slowest_over_fastest) : "",
              reference && &row == &table.rows[*reference] ? "1" : ratio_text(cheapest),
              bounds_text(cheapest), row.is_lock() ? ratio_text(atomic) : "1", bounds_text(atomic),
              shared != nullptr && shared->status != status::ok
                  ? std::string(to_text(shared->status))
                  : ""});
  }
  return text.text();
}

std::string lanes_table(const lock_table& table) {
  std::set<unsigned> lanes;
  for (const lock_row& row : table.rows) {
    for (const auto& [n, seen] : row.on_one) lanes.insert(n);
  }
  if (lanes.size() < 3) return {};  // the first table has them
  std::vector<columns::column> titles{{"backend", left}, {"lock", left}};
  for (const unsigned n : lanes)
    titles.push_back({n == 1 ? "1 lane" : fmt::format("{} lanes", n), right});
  columns text(std::move(titles));
  for (const lock_row& row : table.rows) {
    std::vector<std::string> cells{row.what.backend, row.what.op};
    for (const unsigned n : lanes) {
      const point_summary* const seen = row.cost_at(n);
      cells.push_back(seen == nullptr ? "-"
                      : n == 1        ? total_text(seen)
                                      : fmt::format("{} {:.3f}", total_text(seen), seen->fairness));
    }
    text.row(std::move(cells));
  }
  return "\nOne lock for all lanes: ops/s of all of them, and fairness\n" + text.text();
}

// Locks whose ratio to the cheapest holds 1, or has no interval.
std::string not_told_apart(const lock_table& table, bool alone) {
  std::vector<std::string> names;
  for (const lock_row& row : table.rows) {
    const visit_ratio& r = alone ? row.alone_over_cheapest : row.shared_over_cheapest;
    if (row.is_lock() && r.visits > 0 && (r.visits == 1 || r.ratio.low <= 1))
      names.push_back(name_of(row));
  }
  return join(names);
}

// The cheapest and the dearest of so many lanes, and the atomic add of the cheapest one's backend.
std::string cost_finding(const lock_table& table, unsigned lanes) {
  const bool alone = lanes == 1;
  const auto found = alone ? table.cheapest_alone : table.cheapest_shared;
  const std::string title =
      alone ? "- uncontended (1 lane): " : fmt::format("- {} lanes on one lock: ", lanes);
  if (!found) return title + "cannot tell: no lock has a cost\n";
  const lock_row* const cheap = &table.rows[*found];
  const lock_row* dear = cheap;
  for (const lock_row& row : table.rows) {
    if (!row.is_lock() || row.cost_at(lanes) == nullptr) continue;
    if (row.cost_at(lanes)->cost_ns.value > dear->cost_at(lanes)->cost_ns.value) dear = &row;
  }
  const interval& ns = cheap->cost_at(lanes)->cost_ns;
  std::string text = fmt::format("{}{} is the cheapest, {} ns ({}..{})", title, name_of(*cheap),
                                 nanoseconds(ns.value), nanoseconds(ns.low), nanoseconds(ns.high));
  const visit_ratio& atomic = alone ? cheap->alone_over_atomic : cheap->shared_over_atomic;
  if (atomic.visits > 0) text += fmt::format(", {} times atomic_add", ratio_with_bounds(atomic));
  if (const std::string like = not_told_apart(table, alone); !like.empty())
    text += fmt::format("; not told apart from it: {}", like);
  if (dear != cheap) {
    const visit_ratio& ratio = alone ? dear->alone_over_cheapest : dear->shared_over_cheapest;
    text +=
        fmt::format("; {} costs {} times the cheapest", name_of(*dear), ratio_with_bounds(ratio));
  }
  return text + "\n";
}

std::string fairness_finding(const lock_table& table) {
  const lock_row* worst = nullptr;
  for (const lock_row& row : table.rows) {
    const point_summary* const seen = row.is_lock() ? row.cost_at(table.most_lanes) : nullptr;
    if (seen == nullptr) continue;
    if (worst == nullptr || seen->fairness < worst->cost_at(table.most_lanes)->fairness)
      worst = &row;
  }
  if (worst == nullptr) return {};
  const point_summary& s = *worst->cost_at(table.most_lanes);
  return fmt::format(
      "- least fair: {}, {:.3f}: its slowest lane took {:.2f} times as long as its fastest one. "
      "Lanes do equally many sections, so that one lane after the other would read {:.2f}\n",
      name_of(*worst), s.fairness, s.slowest_over_fastest, least_fairness(table.most_lanes));
}

std::string text_of(const lock_table& table) {
  std::string text = fmt::format("\nLocks: one {} add under each, {} lane{}, affinity {}\n",
                                 to_text(*table.what.type), table.most_lanes,
                                 table.most_lanes == 1 ? "" : "s", to_text(table.what.affinity));
  text += cost_table(table);
  text += "  alone: 1 lane; own: each lane a lock and a cell of its own; shared: all on one lock. "
          "Ratios are of ";
  text += table.most_lanes > 1 ? "shared" : "alone";
  text += ", cheapest: lock of all backends\n";
  text += lanes_table(table) + "\nWhich lock\n" + cost_finding(table, 1);
  if (table.most_lanes < 2)
    return text + "- shared by lanes: cannot tell: no two lanes were measured, and contention "
                  "takes two\n";
  return text + cost_finding(table, table.most_lanes) + fairness_finding(table);
}

}  // namespace

std::string locks_text(const results_file& file, const std::vector<point_summary>& points) {
  const auto options = file.campaign.find("options");
  if (options == file.campaign.end() || options->value("study", "") != "locks") return {};
  std::string text;
  for (const lock_table& table : lock_tables(file, points)) text += text_of(table);
  if (text.empty()) return text;
  return text + fmt::format("- left out by the study: {}\n", find_study("locks")->left_out);
}

}  // namespace syncmeter

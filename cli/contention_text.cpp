// The tables of contention, and what follows from them in sentences.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/contention.hpp"
#include "cli/figures.hpp"
#include "cli/parse_axes.hpp"
#include "cli/pinned_lanes.hpp"
#include "cli/studies.hpp"

namespace syncmeter {
namespace {

using enum columns::align;

unsigned most_lanes(const std::vector<contention_row>& rows) {
  unsigned most = 0;
  for (const contention_row& row : rows) most = std::max(most, row.what.lanes);
  return most;
}

std::string cells_word(unsigned cells) {
  return cells == 1 ? "1 cell" : fmt::format("{} cells", cells);
}

std::string lanes_word(unsigned lanes) {
  return lanes == 1 ? "1 lane" : fmt::format("{} lanes", lanes);
}

std::string joined_text(const std::optional<sharing>& joined) {
  return joined ? std::string(to_text(*joined)) : "";
}

// Everything of the rows with most lanes; of the others the second table has the throughput.
std::string cells_table(const std::vector<contention_row>& rows, unsigned lanes) {
  columns table({{"backend", left},
                 {"op", left},
                 {"affinity", left},
                 {"cells", right},
                 {"lanes a cell", right},
                 {"lanes of one share", left},
                 {"ns/op", right},
                 {"ops/s", right},
                 {"fair", right},
                 {"slow/fast", right},
                 {"over one cell", right},
                 {"95 % interval", right},
                 {"", left}});
  for (const contention_row& row : rows) {
    if (row.what.lanes != lanes) continue;
    for (const auto& [cells, c] : row.by_cells) {
      const point_summary& s = *c.seen;
      const auto rate = rates_of(s);
      table.row(
          {row.what.backend, row.what.op, row.affinities, fmt::to_string(cells),
           fmt::to_string(lanes / cells), joined_text(c.joined_by),
           has_cost(s) ? nanoseconds(s.cost_ns.value) : "", rate ? engineering(rate->total) : "",
           lanes > 1 ? fmt::format("{:.3f}", s.fairness) : "",
           lanes > 1 ? fmt::format("{:.2f}", s.slowest_over_fastest) : "",
           cells == 1 ? "1" : ratio_text(c.throughput_over_one), bounds_text(c.throughput_over_one),
           s.status == status::ok ? "" : std::string(to_text(s.status))});
    }
  }
  return table.text();
}

std::string lanes_table(const std::vector<contention_row>& rows) {
  std::set<unsigned> cells;
  for (const contention_row& row : rows) {
    for (const auto& [n, c] : row.by_cells) cells.insert(n);
  }
  std::vector<columns::column> titles{
      {"backend", left}, {"op", left}, {"affinity", left}, {"lanes", right}};
  for (const unsigned n : cells) titles.push_back({cells_word(n), right});
  columns table(std::move(titles));
  for (const contention_row& row : rows) {
    std::vector<std::string> line{row.what.backend, row.what.op, row.affinities,
                                  fmt::to_string(row.what.lanes)};
    for (const unsigned n : cells) {
      const auto found = row.by_cells.find(n);
      const auto rate = found == row.by_cells.end() ? std::nullopt : rates_of(*found->second.seen);
      line.push_back(
          rate ? fmt::format("{} {:.3f}", engineering(rate->total), found->second.seen->fairness)
               : "");
    }
    table.row(std::move(line));
  }
  return "\nops/s of all lanes, and fairness, by lanes and cells\n" + table.text();
}

std::string title_of(const contention_row& row) {
  return fmt::format("{} {}, {} lanes, {}", row.what.backend, row.what.op, row.what.lanes,
                     row.affinities);
}

std::string cells_finding(const contention_row& row) {
  std::vector<std::string> parts;
  if (row.over_alone.visits > 0)
    parts.push_back(fmt::format("on one cell {} times what one lane alone does",
                                ratio_with_bounds(row.over_alone)));
  for (const auto& [cells, c] : row.by_cells) {
    if (cells != 1)
      parts.push_back(fmt::format("on {} {} times as much as on one", cells_word(cells),
                                  ratio_with_bounds(c.throughput_over_one)));
  }
  return fmt::format("- {}: {}\n", title_of(row),
                     parts.empty() ? "cannot tell: nothing to compare" : join(parts, "; "));
}

std::string distance_finding(const near_and_far& pair) {
  const shared_cells& near = pair.near->by_cells.at(pair.cells);
  const shared_cells& far = pair.far->by_cells.at(pair.cells);
  const auto side = [](const contention_row& row, const shared_cells& c) {
    return fmt::format("{} ({}) {} ns", to_text(*c.joined_by), row.affinities,
                       nanoseconds(c.seen->cost_ns.value));
  };
  return fmt::format("- {} {}, {} lanes on {}: {}, {}: {} times\n", pair.near->what.backend,
                     pair.near->what.op, pair.near->what.lanes, cells_word(pair.cells),
                     side(*pair.near, near), side(*pair.far, far),
                     ratio_with_bounds(pair.far_over_near));
}

// Why near and far lanes cannot be told apart here.
std::string why_no_distance(const results_file& file, const std::vector<contention_row>& rows) {
  std::set<sharing> seen;
  for (const contention_row& row : rows) {
    for (const auto& [cells, c] : row.by_cells) {
      if (c.joined_by) seen.insert(*c.joined_by);
    }
  }
  if (seen.empty())
    return units_from(file.campaign).empty()
               ? "the file does not say where its processing units are"
               : "no two lanes shared a cell";
  std::set<sharing> machine;
  const std::vector<processing_unit> units = units_from(file.campaign);
  for (std::size_t a = 0; a < units.size(); ++a) {
    for (std::size_t b = a + 1; b < units.size(); ++b)
      machine.insert(shared_by(units[a], units[b]));
  }
  if (machine.size() == 1)
    return fmt::format("all processing units here are in one domain ({}), so that there are no "
                       "farther ones",
                       to_text(*machine.begin()));
  return "every policy puts the lanes of a cell equally far apart";
}

bool is_virtual(const results_file& file) {
  const auto machine = file.campaign.find("machine");
  return machine != file.campaign.end() && machine->is_object() &&
         machine->value("hypervisor", false);
}

std::string distance_text(const results_file& file, const std::vector<contention_row>& rows) {
  std::string text = "\nNear lanes against far ones, cost\n";
  const std::vector<near_and_far> pairs = near_against_far(file, rows);
  for (const near_and_far& pair : pairs) text += distance_finding(pair);
  if (pairs.empty()) text += fmt::format("- cannot tell: {}\n", why_no_distance(file, rows));
  if (is_virtual(file))
    text += "- domains are those that the hypervisor shows; it may move lanes between others\n";
  return text;
}

}  // namespace

std::string contention_text(const results_file& file, const std::vector<point_summary>& points) {
  const auto options = file.campaign.find("options");
  if (options == file.campaign.end() || options->value("study", "") != "contention") return {};
  const std::vector<contention_row> rows = contention_of(file, points);
  if (rows.empty()) return {};
  const unsigned lanes = most_lanes(rows);
  std::string text = fmt::format(
      "\nContention: {} on cells that they share out, neighbours on one; throughput over "
      "that on one cell, of the same visits, in one placement state\n",
      lanes_word(lanes));
  text += cells_table(rows, lanes);
  if (lanes > 2) text += lanes_table(rows);
  text += "\nThroughput\n";
  if (lanes < 2) {
    text += "- cannot tell: no two lanes were measured, and contention takes two\n";
  } else {
    for (const contention_row& row : rows) {
      if (row.what.lanes == lanes) text += cells_finding(row);
    }
  }
  text += distance_text(file, rows);
  return text + fmt::format("- left out by the study: {}\n", find_study("contention")->left_out);
}

}  // namespace syncmeter

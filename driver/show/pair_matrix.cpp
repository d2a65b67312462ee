#include "driver/show/pair_matrix.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/harness/stats.hpp"
#include "core/machine/pu_pairs.hpp"
#include "driver/show/figures.hpp"
#include "driver/show/table.hpp"

namespace syncmeter {
const point_summary* pair_matrix::at(int first, int second) const {
  const auto found = cells.find({first, second});
  return found != cells.end() && has_cost(*found->second) ? found->second : nullptr;
}

std::string pair_matrix::classes(const std::vector<processing_unit>& units) const {
  std::map<pair_class, std::vector<double>> costs;
  bool several_kinds = false;
  for (const processing_unit& a : units) {
    several_kinds = several_kinds || a.kind != units.front().kind;
    for (const processing_unit& b : units) {
      if (const point_summary* s = at(a.os, b.os); s != nullptr && a.os != b.os)
        costs[class_of(a, b)].push_back(s->cost_ns.value);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [pairs, seen] : costs)
    parts.push_back(
        fmt::format("{} {} ns", to_text(pairs, several_kinds), nanoseconds(median(seen))));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<pair_matrix> pair_matrices(const std::vector<point_summary>& points) {
  std::vector<pair_matrix> matrices;
  std::map<std::string, std::size_t> number_of;
  for (const point_summary& s : points) {
    if (s.what.pus.size() != 2) continue;
    point what = s.what;
    what.pus.clear();
    const auto [found, is_new] = number_of.try_emplace(canonical(what), matrices.size());
    if (is_new) matrices.push_back({.name = what.backend + " " + short_name(what)});
    matrices[found->second].cells[{s.what.pus[0], s.what.pus[1]}] = &s;
  }
  std::erase_if(matrices, [](const pair_matrix& matrix) {
    const auto has = [](const auto& cell) { return has_cost(*cell.second); };
    return matrix.cells.size() < 2 || std::ranges::none_of(matrix.cells, has);
  });
  return matrices;
}

}  // namespace syncmeter

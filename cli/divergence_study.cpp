#include "cli/divergence_study.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/figures.hpp"

namespace syncmeter {
namespace {

using enum columns::align;

constexpr std::string_view study_name = "divergence";

std::string ns_text(const point_summary* s) {
  return s == nullptr ? "" : nanoseconds(s->cost_ns.value);
}
std::string cycles_text(const point_summary* s) {
  return s == nullptr || !has_cycles(*s) ? "" : nanoseconds(s->cost_cycles.value);
}

std::string launch_text(const point& p) {
  return p.blocks == 1 ? fmt::format("1 block of {} threads", p.lanes)
                       : fmt::format("{} blocks of {} threads", p.blocks, p.lanes);
}

double ns_of(const point_summary& s) { return s.cost_ns.value; }

std::string table_text(const divergence_table& t) {
  columns text({{"paths", right},
                {"in a warp ns", right},
                {"cycles", right},
                {"over one path", right},
                {"across warps ns", right},
                {"over one path", right},
                {"predicated ns", right}});
  std::set<unsigned> sizes;
  for (const cost_of_paths* costs : {&t.in_warp, &t.across_warps, &t.predicated}) {
    for (const auto& [paths, seen] : costs->by_paths) sizes.insert(paths);
  }
  const auto over_one = [&t](const point_summary* s) {
    return s == nullptr || t.uniform == nullptr
               ? ""
               : fmt::format("{:.3g}", ns_of(*s) / ns_of(*t.uniform));
  };
  for (const unsigned paths : sizes) {
    const point_summary *const in = t.in_warp.at(paths), *const across = t.across_warps.at(paths);
    text.row({fmt::to_string(paths), ns_text(in), cycles_text(in), over_one(in), ns_text(across),
              over_one(across), ns_text(t.predicated.at(paths))});
  }
  return text.text();
}

std::string slope_text(std::string_view what, const cost_of_paths& costs) {
  const auto slope = costs.slope_ns();
  if (!slope) return {};
  const auto [first, last] = std::pair{*costs.by_paths.begin(), *costs.by_paths.rbegin()};
  return fmt::format("- {}: each further path adds {} ns ({} to {} ns, {} to {} paths)\n", what,
                     *slope < 0 ? "-" + nanoseconds(-*slope) : nanoseconds(*slope),
                     ns_text(first.second), ns_text(last.second), first.first, last.first);
}

// The most paths for which selecting is cheaper than branching.
std::string crossing_text(const divergence_table& t) {
  unsigned cheaper = 0, compared = 0;
  for (const auto& [paths, selected] : t.predicated.by_paths) {
    const point_summary* const branched = t.in_warp.at(paths);
    if (branched == nullptr) continue;
    ++compared;
    if (ns_of(*selected) < ns_of(*branched)) cheaper = std::max(cheaper, paths);
  }
  if (compared == 0) return {};
  if (cheaper == 0) return "- without a branch it is not cheaper for any number of paths\n";
  return fmt::format("- without a branch (all paths done, one result selected) it is cheaper up to "
                     "{} path{}\n",
                     cheaper, cheaper == 1 ? "" : "s");
}

}  // namespace

// A warp alone, a full block, and every multiprocessor with one.
study divergence_study() {
  const gpu_axes one_warp{.launches = {{{{.first = 1, .last = 1}}, {32}}},
                          .sizes = {1, 2, 4, 8, 16, 32}};
  gpu_axes blocks = one_warp;
  blocks.launches = {{{{.first = 1, .last = 1}, {.named = block_range::word::sm}}, {1024}}};
  gpu_axes some = one_warp;
  some.sizes = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  return {.name = study_name,
          .purpose =
              "GPU: a branch by its number of paths, inside a warp, across warps, and without",
          .rules = {},
          .others = {},
          .gpu = {.rules = {{.ops = {"branch_in_warp"}, .except = {}, .axes = some},
                            {.ops = {"branch_uniform", "branch_predicated"},
                             .except = {},
                             .axes = one_warp},
                            {.ops = {"branch_*"}, .except = {}, .axes = blocks}},
                  .others = one_warp,
                  .max_time_s = 0.12}};
}

std::optional<double> cost_of_paths::slope_ns() const {
  if (by_paths.size() < 2) return std::nullopt;
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [paths, s] : by_paths) {
    const auto at = static_cast<double>(paths);
    n += 1;
    x += at;
    y += ns_of(*s);
    xx += at * at;
    xy += at * ns_of(*s);
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

const point_summary* cost_of_paths::at(unsigned paths) const {
  const auto found = by_paths.find(paths);
  return found == by_paths.end() ? nullptr : found->second;
}

std::vector<divergence_table> divergence_tables(const std::vector<point_summary>& points) {
  std::map<std::tuple<std::string, unsigned, unsigned, unsigned>, divergence_table> tables;
  for (const point_summary& s : points) {
    const point& p = s.what;
    if (!p.op.starts_with("branch_") || !has_cost(s)) continue;
    divergence_table& t = tables[{p.backend, s.device.value_or(0), p.blocks, p.lanes}];
    t.what = {.backend = p.backend, .op = {}, .lanes = p.lanes, .blocks = p.blocks};
    if (p.op == "branch_uniform") t.uniform = &s;
    if (p.op == "branch_in_warp") t.in_warp.by_paths[p.size] = &s;
    if (p.op == "branch_across_warps") t.across_warps.by_paths[p.size] = &s;
    if (p.op == "branch_predicated") t.predicated.by_paths[p.size] = &s;
  }
  std::vector<divergence_table> all;
  for (auto& [key, table] : tables) all.push_back(std::move(table));
  return all;
}

std::string divergence_text(const results_file& file, const std::vector<point_summary>& points) {
  const auto options = file.campaign.find("options");
  if (options == file.campaign.end() || options->value("study", "") != study_name) return {};
  std::string text;
  for (const divergence_table& t : divergence_tables(points)) {
    text += fmt::format("\nDivergence: one branch to a path of 8 dependent operations, {}\n",
                        launch_text(t.what));
    text += table_text(t);
    if (t.uniform != nullptr)
      text += fmt::format("- one path for all lanes: {} ns\n", ns_text(t.uniform));
    text += slope_text("paths inside a warp", t.in_warp);
    text += slope_text("the same paths across warps", t.across_warps);
    text += slope_text("all paths done, one selected", t.predicated);
    text += crossing_text(t);
  }
  return text;
}

}  // namespace syncmeter

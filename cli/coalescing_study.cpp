#include "cli/coalescing_study.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/figures.hpp"

namespace syncmeter {
namespace {

using enum columns::align;

constexpr std::string_view study_name = "coalescing";
constexpr double line_bytes = 128;
constexpr double word_bytes = 4;
constexpr unsigned warp_lanes = 32;
constexpr std::array<std::string_view, 8> patterns{"coalesced",  "permuted",   "broadcast",
                                                   "misaligned", "strided",    "random",
                                                   "row_walk",   "column_walk"};

/// "load_latency_strided_l2" is {strided, in L2, latency}.
struct load_name {
  std::string pattern;
  bool in_l2 = false, latency = false;
};
load_name parts_of(std::string_view op) {
  load_name name;
  op.remove_prefix(std::string_view("load_").size());
  name.latency = op.starts_with("latency_");
  if (name.latency) op.remove_prefix(std::string_view("latency_").size());
  name.in_l2 = op.ends_with("_l2");
  if (name.in_l2) op.remove_suffix(std::string_view("_l2").size());
  name.pattern = op;
  return name;
}

// A point's cost is the time in which all warps load once.
double ns_of_one_load(const point_summary& s) {
  return s.cost_ns.value / (static_cast<double>(s.what.blocks) * s.what.lanes / warp_lanes);
}

// Where several numbers of blocks were measured, the largest: the device is full.
void keep_fullest(const point_summary*& kept, const point_summary& s) {
  if (kept == nullptr || s.what.blocks * s.what.lanes > kept->what.blocks * kept->what.lanes)
    kept = &s;
}

void compare(std::vector<pattern_row>& rows) {
  for (pattern_row& row : rows) {
    if (row.full == nullptr) continue;
    const auto base = std::ranges::find_if(rows, [&row](const pattern_row& r) {
      return r.pattern == "coalesced" && r.in_l2 == row.in_l2 && r.full != nullptr;
    });
    if (base == rows.end()) continue;
    // A random load comes behind a coalesced one, of the numbers of the words.
    const double own = row.pattern == "random" ? row.ns - base->ns : row.ns;
    row.moved_per_useful = std::max(own, 0.0) / base->ns * line_bytes / row.useful_bytes;
  }
}

std::string level_text(const std::vector<pattern_row>& rows, bool in_l2) {
  columns table({{"pattern", left},
                 {"size", right},
                 {"ns/warp load", right},
                 {"useful B/ns", right},
                 {"time/useful", right},
                 {"latency ns", right}});
  bool any = false;
  for (const pattern_row& row : rows) {
    if (row.in_l2 != in_l2) continue;
    any = true;
    const bool timed = row.full != nullptr;
    table.row({row.pattern, row.size != 0 ? fmt::to_string(row.size) : "",
               timed ? nanoseconds(row.ns) : "",
               timed ? fmt::format("{:.4g}", row.useful_bytes / row.ns) : "",
               row.moved_per_useful > 0 ? fmt::format("{:.3g}", row.moved_per_useful) : "",
               row.latency != nullptr ? nanoseconds(row.latency->cost_ns.value) : ""});
  }
  if (!any) return {};
  return fmt::format("\nLoads of a warp from {}\n", in_l2 ? "L2" : "device memory") + table.text();
}

std::string banks_text(const std::vector<point_summary>& points) {
  std::map<unsigned, std::array<const point_summary*, 2>> by_ways;
  for (const point_summary& s : points) {
    if (!has_cost(s)) continue;
    if (s.what.op == "bank_conflict") by_ways[s.what.size][0] = &s;
    if (s.what.op == "bank_conflict_latency") by_ways[s.what.size][1] = &s;
  }
  if (by_ways.empty()) return {};
  columns table({{"lanes of a bank", right}, {"ns/warp load", right}, {"latency ns", right}});
  for (const auto& [ways, seen] : by_ways) {
    table.row({fmt::to_string(ways),
               seen[0] == nullptr ? "" : nanoseconds(ns_of_one_load(*seen[0])),
               seen[1] == nullptr ? "" : nanoseconds(seen[1]->cost_ns.value)});
  }
  return "\nBank conflicts: loads of a warp from shared memory, one multiprocessor\n" +
         table.text();
}

// The dearest pattern of a level, and the coalesced one.
std::string finding(const std::vector<pattern_row>& rows, bool in_l2) {
  const pattern_row *base = nullptr, *worst = nullptr;
  for (const pattern_row& row : rows) {
    if (row.in_l2 != in_l2 || row.moved_per_useful == 0 || row.pattern == "broadcast") continue;
    if (row.pattern == "coalesced") base = &row;
    if (worst == nullptr || row.moved_per_useful > worst->moved_per_useful) worst = &row;
  }
  if (base == nullptr || worst == base) return {};
  return fmt::format(
      "- {}: coalesced loads bring {:.4g} useful bytes per ns; {}{} takes the longest, "
      "{:.3g} times as long for a useful byte\n",
      in_l2 ? "L2" : "device memory", base->useful_bytes / base->ns, worst->pattern,
      worst->size == 0 ? "" : fmt::format(" by {}", worst->size), worst->moved_per_useful);
}

}  // namespace

// The throughput with the device full, the latency of a warp alone. Atomics are in it as they are
// everywhere: each lane its cell, so many elements apart.
study coalescing_study() {
  using word = block_range::word;
  const gpu_axes full{.launches = {{{{.named = word::two_sm}}, {1024}}}};
  const gpu_axes one_warp{.launches = {{{{.first = 1, .last = 1}}, {32}}}};
  const gpu_axes one_block{.launches = {{{{.first = 1, .last = 1}}, {1024}}}};
  const auto of_sizes = [](gpu_axes axes, std::vector<unsigned> sizes) {
    axes.sizes = std::move(sizes);
    return axes;
  };
  const std::vector<unsigned> strides{1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32};
  const std::vector<unsigned> offsets{4, 8, 16, 28, 32, 36, 48, 64, 96, 124};
  const std::vector<unsigned> ways{1, 2, 3, 4, 8, 16, 31, 32};
  gpu_axes cells = full;
  cells.placements = {placement::strided};
  cells.strides = {0, 1, 2, 3, 4, 8, 16, 31, 32};
  return {
      .name = study_name,
      .purpose = "GPU: loads of a warp by how its lanes lie on memory; bank conflicts",
      .rules = {},
      .others = {},
      .gpu = {
          .rules = {{.ops = {"load_latency_misaligned*"},
                     .except = {},
                     .axes = of_sizes(one_warp, {4, 64})},
                    {.ops = {"load_latency_*"},
                     .except = {"load_latency_misaligned*"},
                     .axes = of_sizes(one_warp, {1, 2, 4, 8, 16, 32})},
                    {.ops = {"load_misaligned*"}, .except = {}, .axes = of_sizes(full, offsets)},
                    {.ops = {"load_strided*"}, .except = {}, .axes = of_sizes(full, strides)},
                    {.ops = {"load_*"},
                     .except = {"load_latency_*", "load_misaligned*", "load_strided*"},
                     .axes = full},
                    {.ops = {"bank_conflict"}, .except = {}, .axes = of_sizes(one_block, ways)},
                    {.ops = {"bank_conflict_latency"},
                     .except = {},
                     .axes = of_sizes(one_warp, ways)},
                    {.ops = {"atomic_add"}, .except = {}, .axes = cells}},
          .others = of_sizes(full, {1}),
          .max_time_s = 0.1}};
}

std::vector<pattern_row> pattern_rows(const std::vector<point_summary>& points) {
  std::map<std::tuple<bool, std::ptrdiff_t, unsigned>, pattern_row> rows;
  for (const point_summary& s : points) {
    if (!s.what.op.starts_with("load_") || !has_cost(s)) continue;
    const load_name name = parts_of(s.what.op);
    const auto rank = std::ranges::find(patterns, name.pattern) - patterns.begin();
    pattern_row& row = rows[{name.in_l2, rank, s.what.size}];
    row.pattern = name.pattern;
    row.size = s.what.size;
    row.in_l2 = name.in_l2;
    keep_fullest(name.latency ? row.latency : row.full, s);
  }
  std::vector<pattern_row> all;
  for (auto& [key, row] : rows) {
    row.useful_bytes = row.pattern == "broadcast" ? word_bytes : line_bytes;
    if (row.full != nullptr) row.ns = ns_of_one_load(*row.full);
    all.push_back(row);
  }
  compare(all);
  return all;
}

std::string coalescing_text(const results_file& file, const std::vector<point_summary>& points) {
  const auto options = file.campaign.find("options");
  if (options == file.campaign.end() || options->value("study", "") != study_name) return {};
  const std::vector<pattern_row> rows = pattern_rows(points);
  std::string text = level_text(rows, false) + level_text(rows, true);
  if (!text.empty())
    text +=
        "  useful: words asked for, each once; time/useful: of a useful byte, over the coalesced "
        "load's; scripts/moved-bytes counts what is moved\n  (random: without the coalesced load "
        "of the words' "
        "numbers; row_walk and column_walk: L1 may serve them)\n";
  return text + finding(rows, false) + finding(rows, true) + banks_text(points);
}

}  // namespace syncmeter

// What the terminal says of the levels of synchronization, below the table.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/columns.hpp"
#include "cli/figures.hpp"
#include "cli/levels_study.hpp"
#include "cli/table.hpp"
#include "core/stats.hpp"

namespace syncmeter {
namespace {

using enum columns::align;
using summaries = std::vector<const point_summary*>;

struct level {
  std::string_view name;
  std::vector<std::string_view> ops;  // that wait for all: `*` stands for any letters
};

const std::vector<level>& levels() {
  static const std::vector<level> all{
      {"warp, together", {"warp_sync_partial", "tile_sync", "coalesced_sync"}},
      {"warp, a value", {"shuffle_*", "tile_shuffle"}},
      {"block", {"barrier"}},
      {"cluster", {"cluster_sync"}},
      {"grid", {"grid_sync", "software_barrier_*"}},
      {"launch",
       {"launch", "additional_launch", "cooperative_launch", "graph_launch",
        "additional_graph_launch", "programmatic_launch"}}};
  return all;
}

bool is_of(const level& l, const point& p) {
  return std::ranges::any_of(l.ops, [&p](auto pattern) { return fits(pattern, p.op); });
}

// A latency is that of one warp in one block, for what is done inside a block: more of them hide
// each other's. A group of one lane waits for nobody.
bool is_latency(const point_summary& s) {
  const std::string_view family = facts_of(s).family;
  const bool in_block = s.what.op == "barrier" || family == "warp" || family == "group";
  if (in_block && (s.what.blocks != 1 || s.what.lanes != 32)) return false;
  return s.what.size != 1 || family == "launch";
}

double ns_of(const point_summary* s) { return s->cost_ns.value; }

// Those of one op with a cost, in the order of the points.
summaries measured(const std::vector<point_summary>& points, std::string_view op) {
  summaries found;
  for (const point_summary& s : points) {
    if (s.what.op == op && s.device && has_cost(s)) found.push_back(&s);
  }
  return found;
}

std::string launch_text(const point& p) { return fmt::format("{} x {}", p.blocks, p.lanes); }

std::string cycles_text(const point_summary* s) {
  return has_cycles(*s) ? nanoseconds(s->cost_cycles.value) : "";
}

// One line for a level: the cheapest of its ops at its cheapest launch, on one logarithmic axis.
std::string axis_of_levels(const std::vector<point_summary>& points) {
  columns text({{"level", left},
                {"cheapest op", left},
                {"size", right},
                {"blocks x threads", right},
                {"ns", right},
                {"95 % interval", right},
                {"cycles", right},
                {"1 ns to 100 us, a step of ten is 8 wide", left}});
  bool any = false;
  for (const level& l : levels()) {
    const point_summary* best = nullptr;
    for (const point_summary& s : points) {
      if (s.device && is_of(l, s.what) && has_cost(s) && is_latency(s) &&
          (best == nullptr || ns_of(&s) < ns_of(best)))
        best = &s;
    }
    if (best == nullptr) {
      text.row({std::string(l.name), "not measured", "", "", "", "", "", ""});
      continue;
    }
    any = true;
    constexpr double per_step = 8, widest = 48;
    const double width = std::clamp(per_step * std::log10(ns_of(best)) + 1, 1.0, widest);
    text.row(
        {std::string(l.name), best->what.op,
         best->what.size != 0 ? fmt::to_string(best->what.size) : "", launch_text(best->what),
         nanoseconds(ns_of(best)),
         fmt::format("{}..{}", nanoseconds(best->cost_ns.low), nanoseconds(best->cost_ns.high)),
         cycles_text(best), std::string(static_cast<std::size_t>(width), '=')});
  }
  if (!any) return {};
  return "\nLevels of synchronization: the cheapest latency of each\n" + text.text() +
         "  lanes of a warp that are together pass a sync of it without a wait; a shuffle waits "
         "for "
         "its value\n";
}

// Rows of threads per block, columns of blocks: us per barrier of the grid.
std::string heat_map(const summaries& points) {
  std::set<unsigned> blocks, threads;
  std::map<std::pair<unsigned, unsigned>, const point_summary*> at;
  for (const point_summary* s : points) {
    blocks.insert(s->what.blocks);
    threads.insert(s->what.lanes);
    at.try_emplace({s->what.lanes, s->what.blocks}, s);
  }
  if (at.size() < 2) return {};
  std::vector<columns::column> titles{{"threads per block", right}};
  for (const unsigned b : blocks) titles.push_back({fmt::format("{} blocks", b), right});
  columns text(std::move(titles));
  for (const unsigned t : threads) {
    std::vector<std::string> cells{fmt::to_string(t)};
    for (const unsigned b : blocks) {
      const auto found = at.find({t, b});
      cells.push_back(found == at.end() ? "" : fmt::format("{:.2f}", ns_of(found->second) / 1e3));
    }
    text.row(std::move(cells));
  }
  return "\ngrid_sync: us by launch; an empty place does not run at once or was not measured\n" +
         text.text();
}

std::string software_barriers(const std::vector<point_summary>& points) {
  constexpr std::array ops{"software_barrier_counter", "software_barrier_sense",
                           "software_barrier_lockfree", "software_barrier_tree"};
  std::map<std::pair<unsigned, unsigned>, std::map<std::string, const point_summary*>> at;
  for (const char* op : ops) {
    for (const point_summary* s : measured(points, op))
      at[{s->what.lanes, s->what.blocks}].try_emplace(op, s);
  }
  if (at.empty()) return {};
  for (const point_summary* s : measured(points, "grid_sync")) {
    const auto found = at.find({s->what.lanes, s->what.blocks});
    if (found != at.end()) found->second.try_emplace("grid_sync", s);
  }
  columns text({{"blocks x threads", right},
                {"grid_sync us", right},
                {"counter", right},
                {"sense", right},
                {"lockfree", right},
                {"tree", right},
                {"cheapest", left},
                {"over grid_sync", right}});
  for (const auto& [where, found] : at) {
    const auto us = [&found = found](const std::string& op) {
      const auto s = found.find(op);
      return s == found.end() ? std::string{} : fmt::format("{:.2f}", ns_of(s->second) / 1e3);
    };
    const auto cheapest =
        std::ranges::min_element(found, {}, [](const auto& entry) { return ns_of(entry.second); });
    const auto grid = found.find("grid_sync");
    text.row({fmt::format("{} x {}", where.second, where.first), us("grid_sync"), us(ops[0]),
              us(ops[1]), us(ops[2]), us(ops[3]), cheapest->first,
              grid == found.end()
                  ? ""
                  : fmt::format("{:.2f}", ns_of(cheapest->second) / ns_of(grid->second))});
  }
  return "\nBarriers of the grid in software against grid_sync\n" + text.text();
}

// Of each block size the launch with most warps synchronized per time.
std::string block_throughput(const summaries& points) {
  const auto warp_syncs_per_us = [](const point_summary* s) {
    constexpr unsigned warp_size = 32;
    return s->what.blocks * ((s->what.lanes + warp_size - 1) / warp_size) * 1e3 / ns_of(s);
  };
  std::map<unsigned, const point_summary*> best;
  for (const point_summary* s : points) {
    if (s->what.blocks == 1) continue;
    const auto [at, is_new] = best.try_emplace(s->what.lanes, s);
    if (!is_new && warp_syncs_per_us(s) > warp_syncs_per_us(at->second)) at->second = s;
  }
  if (best.empty()) return {};
  columns text({{"threads per block", right},
                {"blocks", right},
                {"ns per barrier", right},
                {"warps synchronized per us", right}});
  for (const auto& [threads, s] : best) {
    text.row({fmt::to_string(threads), fmt::to_string(s->what.blocks), nanoseconds(ns_of(s)),
              engineering(warp_syncs_per_us(s))});
  }
  return "\nbarrier: the launch of each block size that synchronizes most warps per time\n" +
         text.text();
}

std::string chains(const summaries& points) {
  if (points.empty()) return {};
  columns text({{"adds in a line", right}, {"cycles", right}, {"cycles per add", right}});
  summaries by_size = points;
  std::ranges::sort(by_size, {}, [](const point_summary* s) { return s->what.size; });
  for (const point_summary* s : by_size) {
    if (s->what.size == 0 || !has_cycles(*s)) continue;
    text.row({fmt::to_string(s->what.size), nanoseconds(s->cost_cycles.value),
              fmt::format("{:.3f}", s->cost_cycles.value / s->what.size)});
  }
  return "\nfadd_chain: dependent adds without a branch; more per add is the instruction cache\n" +
         text.text();
}

// By point: the deviation of the host's cost, the median over its visits.
std::map<std::string, double> host_deviations(const results_file& file) {
  std::map<std::string, std::vector<double>> seen;
  for (const nlohmann::json& visit : file.visits) {
    if (visit.contains("host_deviation_ns"))
      seen[canonical(visit.at("point").get<point>())].push_back(
          visit.at("host_deviation_ns").get<double>());
  }
  std::map<std::string, double> medians;
  for (const auto& [key, values] : seen) medians[key] = median(values);
  return medians;
}

std::string plus_minus(double value, double deviation) {
  return fmt::format("{} +- {}", nanoseconds(value), nanoseconds(deviation));
}

// The first point of each op, in the table's order, of its largest size.
std::string both_methods(const results_file& file, const std::vector<point_summary>& points) {
  const auto deviations = host_deviations(file);
  columns text({{"op", left},
                {"size", right},
                {"blocks x threads", right},
                {"device's clock ns", right},
                {"host's clock ns", right},
                {"host / device", right},
                {"", left}});
  bool any = false, without = false;
  for (const char* op :
       {"control_fadd", "fadd_chain", "tile_shuffle", "shuffle_idx", "barrier", "cluster_sync",
        "grid_sync", "software_barrier_counter", "software_barrier_lockfree"}) {
    const summaries of_op = measured(points, op);
    if (of_op.empty()) continue;
    const auto size = [](const point_summary* p) { return p->what.size; };
    const point_summary* s = *std::ranges::max_element(of_op, {}, size);
    const auto deviation = deviations.find(canonical(s->what));
    const bool by_host = s->host_cost_ns.value != 0 && deviation != deviations.end();
    any = true;
    without = without || !by_host;
    text.row({op, s->what.size != 0 ? fmt::to_string(s->what.size) : "", launch_text(s->what),
              plus_minus(s->cost_ns.value, (s->cost_ns.high - s->cost_ns.low) / 2),
              by_host ? plus_minus(s->host_cost_ns.value, deviation->second) : "",
              by_host ? fmt::format("{:.3f}", s->host_cost_ns.value / s->cost_ns.value) : "",
              s->what.blocks == 1 ? "cycles of one multiprocessor" : "events round the launch"});
  }
  if (!any) return {};
  std::string said =
      "\nBoth methods: the device's clock, and the host's by the difference of two numbers of "
      "repeats\n" +
      text.text() +
      "  device: median over visits +- half its 95 % interval; host: (T1 - T2) / (r1 - r2) +- "
      "sqrt(s1^2 + s2^2) / |r1 - r2|, of one launch each\n";
  if (without) said += "  no host's time: its samples are several launches in a row\n";
  return said;
}

}  // namespace

std::string levels_text(const results_file& file, const std::vector<point_summary>& points) {
  const auto options = file.campaign.find("options");
  if (options == file.campaign.end() || options->value("study", "") != "levels") return {};
  std::vector<point_summary> ordered = points;
  std::ranges::stable_sort(ordered, comes_before);
  const std::string text = axis_of_levels(ordered) +
                           block_throughput(measured(ordered, "barrier")) +
                           heat_map(measured(ordered, "grid_sync")) + software_barriers(ordered) +
                           chains(measured(ordered, "fadd_chain")) + both_methods(file, ordered);
  if (text.empty()) return text;
  return text + fmt::format("- left out by the study: {}\n", find_study("levels")->left_out);
}

}  // namespace syncmeter

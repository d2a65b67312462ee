#include "cli/launch_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/figures.hpp"
#include "core/stats.hpp"

namespace syncmeter {
namespace {

using enum columns::align;

struct part {
  std::string_view op, title;
};

// In the order in which a reader builds the boundary up.
constexpr std::array parts{part{"launch_call", "a launch call returns after"},
                           part{"launch", "launch and wait"},
                           part{"cooperative_launch", "cooperative launch and wait"},
                           part{"event_record_wait", "event recorded and waited for, no kernel"},
                           part{"blocking_copy", "4 bytes to the host, which waits"},
                           part{"additional_launch", "one more kernel in the stream"},
                           part{"additional_cooperative_launch", "one more cooperative kernel"},
                           part{"programmatic_launch", "one more, programmatic dependent launch"},
                           part{"stream_order", "one more that needs the one before"},
                           part{"stream_event_order", "the same in another stream, by an event"},
                           part{"kernel_split", "marginal: a kernel's work cut in two"},
                           part{"programmatic_split", "marginal: the same, programmatic"}};
constexpr std::array graphs{part{"graph_launch", "graph launched and waited for"},
                            part{"additional_graph_launch", "one more graph in the stream"}};

bool is_part(const std::string& op) {
  const auto has = [&op](const auto& list) {
    return std::ranges::find(list, op, &part::op) != list.end();
  };
  return has(parts) || has(graphs);
}

// One kernel, launched from one place: a column.
using kernel = std::tuple<std::string, unsigned, unsigned, home>;  // backend, blocks, lanes

kernel kernel_of(const point& p) { return {p.backend, p.blocks, p.lanes, p.home}; }

std::string title_of(const kernel& launched) {
  const auto& [backend, blocks, lanes, from] = launched;
  const std::string_view where = from == home::first   ? ", near"
                                 : from == home::other ? ", far"
                                                       : "";
  return fmt::format("{} x {}{}", blocks, lanes, where);
}

// By op and size of a graph.
using costs_by_part = std::map<std::pair<std::string, unsigned>, double>;
using costs_by_kernel = std::map<kernel, costs_by_part>;

std::optional<double> cost_at(const costs_by_part& costs, std::string_view op, unsigned size = 0) {
  const auto found = costs.find({std::string(op), size});
  return found == costs.end() ? std::nullopt : std::optional{found->second};
}

graph_costs graphs_of(const costs_by_part& costs, std::string_view op) {
  std::vector<unsigned> sizes;
  std::vector<double> costs_ns;
  for (const auto& [what, ns] : costs) {
    if (what.first != op) continue;
    sizes.push_back(what.second);
    costs_ns.push_back(ns);
  }
  return graph_costs_of(sizes, costs_ns);
}

std::string ns_or_nothing(std::optional<double> ns) {
  return ns && *ns > 0 ? nanoseconds(*ns) : "";
}

std::string table_of(const costs_by_kernel& kernels) {
  std::vector<columns::column> titles{{"ns, by blocks x threads of the kernel", left}};
  for (const auto& [launched, costs] : kernels) titles.push_back({title_of(launched), right});
  columns text(std::move(titles));
  const auto add = [&](std::string title, const auto& cost_of) {
    std::vector<std::string> cells{std::move(title)};
    bool any = false;
    for (const auto& [launched, costs] : kernels) {
      cells.push_back(ns_or_nothing(cost_of(costs)));
      any = any || !cells.back().empty();
    }
    if (any) text.row(std::move(cells));
  };
  for (const part& p : parts)
    add(std::string(p.title), [&p](const costs_by_part& costs) { return cost_at(costs, p.op); });
  for (const part& p : graphs) {
    add(fmt::format("{}: first kernel", p.title), [&p](const costs_by_part& costs) {
      return std::optional{graphs_of(costs, p.op).first_ns};
    });
    add(fmt::format("{}: each further one", p.title),
        [&p](const costs_by_part& costs) { return std::optional{graphs_of(costs, p.op).each_ns}; });
  }
  return text.text();
}

// Of a launch that is waited for, how much is the call, and how much of it a kernel in the stream
// goes without.
std::string boundary_finding(const costs_by_part& costs) {
  const auto whole = cost_at(costs, "launch");
  const auto call = cost_at(costs, "launch_call");
  const auto another = cost_at(costs, "additional_launch");
  if (!whole) return {};
  std::string text = fmt::format("- a launch and the wait for it: {} ns", nanoseconds(*whole));
  if (call && *call < *whole) {
    text += fmt::format("; the call returns after {} ({:.0f} %), the kernel and the wait are the "
                        "other {}",
                        nanoseconds(*call), 100 * *call / *whole, nanoseconds(*whole - *call));
  }
  if (another) {
    text += fmt::format("; without the wait a further kernel costs {} ({:.0f} %)",
                        nanoseconds(*another), 100 * *another / *whole);
    if (call && *another < 1.25 * *call && *another > 0.8 * *call)
      text += ", about what its call takes: the host sets the pace";
  }
  return text + "\n";
}

std::string graph_finding(const costs_by_part& costs) {
  const graph_costs graph = graphs_of(costs, "additional_graph_launch");
  const auto another = cost_at(costs, "additional_launch");
  if (!another || graph.each_ns <= 0) return {};
  if (graph.each_ns >= *another) {
    return fmt::format("- a kernel in a graph costs no less than one launched: {} ns, {}\n",
                       nanoseconds(graph.each_ns), nanoseconds(*another));
  }
  // The least n with first + each (n - 1) < another n.
  const double even = (graph.first_ns - graph.each_ns) / (*another - graph.each_ns);
  const auto least = static_cast<unsigned>(std::max(1.0, even + 1));
  return fmt::format("- each further kernel of a graph costs {} ns, one launched by itself {}: a "
                     "graph is the cheaper from {} kernel{} on\n",
                     nanoseconds(graph.each_ns), nanoseconds(*another), least,
                     least == 1 ? "" : "s");
}

}  // namespace

graph_costs graph_costs_of(const std::vector<unsigned>& sizes,
                           const std::vector<double>& costs_ns) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (sizes[i] == sizes[j]) continue;
      slopes.push_back((costs_ns[i] - costs_ns[j]) /
                       (static_cast<double>(sizes[i]) - static_cast<double>(sizes[j])));
    }
  }
  if (slopes.empty()) return {};
  graph_costs found{.first_ns = 0, .each_ns = median(slopes)};
  const auto smallest = static_cast<std::size_t>(std::ranges::min_element(sizes) - sizes.begin());
  found.first_ns = costs_ns[smallest] - found.each_ns * (sizes[smallest] - 1.0);
  return found;
}

std::string launch_text(const std::vector<point_summary>& points) {
  costs_by_kernel kernels;
  std::size_t costs = 0;
  for (const point_summary& s : points) {
    if (!s.device || !has_cost(s) || !is_part(s.what.op) || s.what.repeat > 1) continue;
    costs +=
        kernels[kernel_of(s.what)].try_emplace({s.what.op, s.what.size}, s.cost_ns.value).second;
  }
  if (costs < 2) return {};
  std::string text = "\nKernel boundary: kernels that do nothing, launched by one host thread\n";
  text += table_of(kernels);
  // What follows of the smallest kernel, which is all launch.
  const costs_by_part& smallest = kernels.begin()->second;
  return text + boundary_finding(smallest) + graph_finding(smallest);
}

}  // namespace syncmeter

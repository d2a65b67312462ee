// The strongly connected parts of a function (Tarjan, "Depth-first search and linear graph
// algorithms", 1972; without recursion, a straight line of instructions is deep).
#include "driver/census/control_flow.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace syncmeter {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

struct node {
  std::array<std::size_t, 2> successors{nowhere, nowhere};
  std::size_t order = nowhere;  ///< of discovery
  std::size_t low = 0;
  std::size_t component = nowhere;
  unsigned next_edge = 0;
};

/// Numbers the strongly connected components; returns for each whether it holds a cycle.
std::vector<bool> find_cycles(std::vector<node>& nodes) {
  std::vector<bool> cyclic;
  std::vector<std::size_t> path, open;
  std::size_t discovered = 0;
  for (std::size_t root = 0; root < nodes.size(); ++root) {
    if (nodes[root].order != nowhere) continue;
    path.push_back(root);
    while (!path.empty()) {
      const std::size_t at = path.back();
      node& here = nodes[at];
      if (here.order == nowhere) {
        here.order = here.low = discovered++;
        open.push_back(at);
      }
      if (here.next_edge < here.successors.size()) {
        const std::size_t to = here.successors[here.next_edge++];
        if (to == nowhere) continue;
        if (nodes[to].order == nowhere) path.push_back(to);
        else if (nodes[to].component == nowhere) here.low = std::min(here.low, nodes[to].order);
        continue;
      }
      path.pop_back();
      if (!path.empty()) nodes[path.back()].low = std::min(nodes[path.back()].low, here.low);
      if (here.low != here.order) continue;
      // A single instruction is a cycle only when it jumps to itself.
      bool cycle =
          open.back() != at || std::ranges::find(here.successors, at) != here.successors.end();
      std::size_t member = nowhere;
      do {
        member = open.back();
        open.pop_back();
        nodes[member].component = cyclic.size();
      } while (member != at);
      cyclic.push_back(cycle);
    }
  }
  return cyclic;
}

std::size_t index_of(std::span<const instruction> body, std::uint64_t address) {
  const auto found = std::ranges::lower_bound(body, address, {}, &instruction::address);
  if (found == body.end() || found->address != address) return nowhere;
  return static_cast<std::size_t>(found - body.begin());
}

}  // namespace

control_flow find_control_flow(std::span<const instruction> body,
                               std::span<const instruction_class> classes,
                               std::span<const std::size_t> cuts) {
  control_flow found;
  std::vector<node> nodes(body.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    const enum flow flow = classes[i].flow;
    const bool goes_on = flow == flow::next || flow == flow::branch;
    if (goes_on && i + 1 < body.size()) nodes[i].successors[0] = i + 1;
    if (flow == flow::branch || flow == flow::jump) {
      nodes[i].successors[1] = index_of(body, *body[i].target_address);
      if (nodes[i].successors[1] == nowhere) found.leaving.push_back(i);
    }
    if (flow == flow::indirect) found.indirect = true;
  }
  for (const std::size_t cut : cuts) nodes[cut].successors = {nowhere, nowhere};
  found.cyclic = find_cycles(nodes);
  for (const node& one : nodes) found.component.push_back(one.component);
  return found;
}

}  // namespace syncmeter

// Control flow of one function, and its strongly connected part (Tarjan, "Depth-first search and
// linear graph algorithms", 1972; without recursion, a straight line of instructions is deep).
#include "cli/loop_code.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include <fmt/format.h>

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

bool is_moved_out_part(std::string_view target) {
  return target.find(".cold") != std::string_view::npos ||
         target.find(".part.") != std::string_view::npos;
}

std::size_t index_of(std::span<const instruction> body, std::uint64_t address) {
  const auto found = std::ranges::lower_bound(body, address, {}, &instruction::address);
  if (found == body.end() || found->address != address) return nowhere;
  return static_cast<std::size_t>(found - body.begin());
}

void count(class_counts& counts, const instruction_class& what) {
  ++counts[what.name];
  if (!what.also.empty()) ++counts[std::string(what.also)];
}

}  // namespace

loop_code read_loop(std::span<const instruction> body, enum machine m) {
  loop_code found;
  const frame_registers frame = frame_of(body, m);
  std::vector<instruction_class> classes;
  std::vector<node> nodes(body.size());
  std::vector<std::size_t> leaving;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const instruction_class& what = classes.emplace_back(classify(body[i], m, frame));
    const bool goes_on = what.flow == flow::next || what.flow == flow::branch;
    if (goes_on && i + 1 < body.size()) nodes[i].successors[0] = i + 1;
    if (what.flow == flow::branch || what.flow == flow::jump) {
      nodes[i].successors[1] = index_of(body, *body[i].target_address);
      if (nodes[i].successors[1] == nowhere) leaving.push_back(i);
    }
    if (what.flow == flow::indirect) found.problem = "it holds an indirect jump";
  }

  const std::vector<bool> cyclic = find_cycles(nodes);
  const auto loops = std::ranges::count(cyclic, true);
  found.has_loop = loops > 0;
  if (loops > 1) found.problem = fmt::format("it holds {} separate loops", loops);
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool repeats = cyclic[nodes[i].component];
    count(repeats ? found.inside : found.outside, classes[i]);
    if (repeats && classes[i].name != "nop") ++found.instructions;
  }
  for (const std::size_t i : leaving) {
    // A jump to another function's beginning, outside the loop, is a tail call.
    if (is_moved_out_part(body[i].target) || cyclic[nodes[i].component]) {
      found.problem = fmt::format("it jumps out to {}", body[i].target);
    }
  }
  return found;
}

}  // namespace syncmeter

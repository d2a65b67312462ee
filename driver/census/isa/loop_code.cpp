// Counts and prints the instructions on a cycle of a function's control flow. Source for strongly
// connected components: Tarjan, "Depth-first search and linear graph algorithms", 1972. The search
// does not recurse, because straight-line code is deep.
#include "driver/census/isa/loop_code.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

struct node {
  std::array<std::size_t, 2> successors{nowhere, nowhere};
  std::size_t order = nowhere;  ///< order of discovery
  std::size_t low = 0;
  std::size_t component = nowhere;
  unsigned next_edge = 0;
};

/// Numbers the strongly connected components. Returns for each component whether the component has
/// a cycle.
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
      // A single instruction is a cycle only if the instruction jumps to itself.
      bool cycle = open.back() != at || contains(here.successors, at);
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

/// Control flow of a function, with its cycles.
struct control_flow {
  std::vector<std::size_t> component;  ///< strongly connected component of each instruction
  std::vector<bool> cyclic;            ///< whether each component has a cycle
  std::vector<std::size_t> leaving;    ///< instructions with a target outside the function
  bool indirect = false;               ///< the function has a jump with an unknown target

  [[nodiscard]] bool repeats(std::size_t instruction) const {
    return cyclic[component[instruction]];
  }
};

/// Finds the cycles of `body`, which is in address order. `classes` has a class for each
/// instruction. Cycles through an instruction in `cuts` do not count.
control_flow find_control_flow(std::span<const instruction> body,
                               std::span<const instruction_class> classes,
                               std::span<const std::size_t> cuts = {}) {
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

/// Numbers registers, regardless of kind, in order of first use.
class register_numbers {
 public:
  const loop_line& rename(const std::string& text, const instruction_set& set) {
    // Caches the result, because loops are unrolled and a register keeps its number.
    const auto [known, is_new] = known_.try_emplace(text);
    if (is_new) known->second = renamed(text, set);
    return known->second;
  }

 private:
  loop_line renamed(std::string_view text, const instruction_set& set) {
    loop_line renamed;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && is_of_word(text[end])) ++end;
      if (end == i) ++end;
      const std::string_view word = text.substr(i, end - i);
      if (const auto found = set.register_in(word)) {
        const auto number = numbers_.try_emplace(found->which, numbers_.size()).first->second;
        renamed.shape += found->kind;
        fmt::format_to(std::back_inserter(renamed.text), "{}.{}", found->kind, number);
      } else {
        renamed.shape += word;
        renamed.text += word;
      }
      i = end;
    }
    return renamed;
  }

  std::map<std::string, std::size_t> numbers_;
  std::unordered_map<std::string, loop_line> known_;
};

bool is_moved_out_part(std::string_view target) {
  return target.find(".cold") != std::string_view::npos ||
         target.find(".part.") != std::string_view::npos;
}

/// Returns the loops with an instruction between `first` and `last`, as components.
std::set<std::size_t> loops_between(const control_flow& flow, std::size_t first, std::size_t last) {
  std::set<std::size_t> loops;
  for (std::size_t i = first + 1; i < last; ++i)
    if (flow.repeats(i)) loops.insert(flow.component[i]);
  return loops;
}

/// Counts repeating instructions as inside, and all others in the range as outside.
loop_code counted(std::span<const instruction> body, std::span<const instruction_class> classes,
                  enum machine m, const std::function<bool(std::size_t)>& repeats,
                  std::pair<std::size_t, std::size_t> others, bool with_lines) {
  loop_code found;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool inside = repeats(i);
    if (!inside && (i < others.first || i >= others.second)) continue;
    class_counts& counts = inside ? found.inside : found.outside;
    ++counts[classes[i].name];
    if (!classes[i].also.empty()) ++counts[std::string(classes[i].also)];
    if (inside && classes[i].name != "nop") ++found.instructions;
  }
  if (with_lines) found.lines = loop_text(body, classes, m, repeats);
  return found;
}

}  // namespace

std::vector<loop_line> loop_text(std::span<const instruction> body,
                                 std::span<const instruction_class> classes, enum machine m,
                                 const std::function<bool(std::size_t)>& wanted) {
  std::vector<std::size_t> inside;
  for (std::size_t i = 0; i < body.size(); ++i)
    if (wanted(i) && classes[i].name != "nop") inside.push_back(i);
  const auto line_at = [&](std::uint64_t address) {
    const auto found = std::ranges::lower_bound(inside, address, {},
                                                [&](std::size_t i) { return body[i].address; });
    return found - inside.begin();
  };
  std::vector<loop_line> lines;
  register_numbers registers;
  const instruction_set& set = instruction_set_of(m);
  for (const std::size_t i : inside) {
    const instruction& one = body[i];
    const std::string head = (one.prefixes.empty() ? "" : one.prefixes + " ") + one.mnemonic;
    if (const std::string& name = classes[i].name; name.starts_with("call:")) {
      lines.push_back({name, name});
      continue;
    }
    std::string operands = set.placeless(one);
    // The address is the last operand of a jump, and on a CPU often the only operand.
    if (one.target_address) operands.erase(operands.find_last_of(" ,") + 1);
    loop_line line = registers.rename(operands.empty() ? head : head + " " + operands, set);
    if (one.target_address) {
      const char* const label = operands.empty() ? " L" : "L";
      line.shape += label;
      const bool stays = *one.target_address >= body[inside.front()].address &&
                         *one.target_address <= body[inside.back()].address;
      line.text +=
          stays ? fmt::format("{}{}", label, line_at(*one.target_address)) : std::string(label);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

loop_code read_loop(std::span<const instruction> body, enum machine m, bool with_lines) {
  const std::vector<instruction_class> classes = classes_of(body, m);
  const control_flow flow = find_control_flow(body, classes);
  const auto repeats = [&](std::size_t i) { return flow.repeats(i); };
  loop_code found = counted(body, classes, m, repeats, {0, body.size()}, with_lines);
  const auto loops = std::ranges::count(flow.cyclic, true);
  found.has_loop = loops > 0;
  if (flow.indirect) found.problem = "it holds an indirect jump";
  if (loops > 1) found.problem = fmt::format("it holds {} separate loops", loops);
  for (const std::size_t i : flow.leaving) {
    // A jump from outside the loop to the beginning of another function is a tail call.
    if (is_moved_out_part(body[i].target) || flow.repeats(i))
      found.problem = fmt::format("it jumps out to {}", body[i].target);
  }
  return found;
}

loop_code read_timed_loop(std::span<const instruction> kernel, bool with_lines) {
  const std::vector<instruction_class> classes = classes_of(kernel, machine::sass);
  std::vector<std::size_t> readings;
  // clock64() compiles to `CS2R R2, SR_CLOCKLO`. Older code reads both halves by S2R.
  for (std::size_t i = 0; i < kernel.size(); ++i)
    if (kernel[i].operands.find("SR_CLOCK") != std::string::npos) readings.push_back(i);
  if (readings.size() < 2) {
    loop_code found;
    found.problem =
        fmt::format("it reads the clock {} times, not before and after a loop", readings.size());
    return found;
  }
  // Cuts at the readings, because a kernel may repeat its whole work for several parts.
  const control_flow flow = find_control_flow(kernel, classes, readings);
  const std::set<std::size_t> loops = loops_between(flow, readings.front(), readings.back());
  const auto repeats = [&](std::size_t i) { return loops.contains(flow.component[i]); };
  // The gate before the clock and the reports after the clock are not timed.
  loop_code found = counted(kernel, classes, machine::sass, repeats,
                            {readings.front(), readings.back() + 1}, with_lines);
  found.has_loop = !loops.empty();
  if (flow.indirect) found.problem = "it holds an indirect jump";
  if (loops.empty()) found.problem = "there is no loop between the readings of the clock";
  if (loops.size() > 1) {
    found.problem =
        fmt::format("it holds {} separate loops between the readings of the clock", loops.size());
  }
  if (std::ranges::any_of(flow.leaving, repeats))
    found.problem = "it jumps out to another function";
  return found;
}

}  // namespace syncmeter

// Counts what lies on the cycle of a function's control flow.
#include "driver/census/loop_code.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "driver/census/control_flow.hpp"

namespace syncmeter {
namespace {

bool is_moved_out_part(std::string_view target) {
  return target.find(".cold") != std::string_view::npos ||
         target.find(".part.") != std::string_view::npos;
}

}  // namespace

void count(class_counts& counts, const instruction_class& what) {
  ++counts[what.name];
  if (!what.also.empty()) ++counts[std::string(what.also)];
}

loop_code read_loop(std::span<const instruction> body, enum machine m, bool with_lines) {
  loop_code found;
  const std::vector<instruction_class> classes = classes_of(body, m);
  const control_flow flow = find_control_flow(body, classes);
  if (flow.indirect) found.problem = "it holds an indirect jump";

  const auto loops = std::ranges::count(flow.cyclic, true);
  found.has_loop = loops > 0;
  if (loops > 1) found.problem = fmt::format("it holds {} separate loops", loops);
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool repeats = flow.repeats(i);
    count(repeats ? found.inside : found.outside, classes[i]);
    if (repeats && classes[i].name != "nop") ++found.instructions;
  }
  if (with_lines)
    found.lines = loop_text(body, classes, m, [&](std::size_t i) { return flow.repeats(i); });
  for (const std::size_t i : flow.leaving) {
    // A jump to another function's beginning, outside the loop, is a tail call.
    if (is_moved_out_part(body[i].target) || flow.repeats(i)) {
      found.problem = fmt::format("it jumps out to {}", body[i].target);
    }
  }
  return found;
}

}  // namespace syncmeter

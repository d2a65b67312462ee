#include "driver/census/sass_loop.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "driver/census/control_flow.hpp"

namespace syncmeter {
namespace {

/// clock64() is `CS2R R2, SR_CLOCKLO` or, in older code, S2R of both halves.
bool reads_clock(const instruction& one) {
  return one.operands.find("SR_CLOCK") != std::string::npos;
}

/// The loops that have an instruction between the two, as components of the flow.
std::set<std::size_t> loops_between(const control_flow& flow, std::size_t first, std::size_t last) {
  std::set<std::size_t> loops;
  for (std::size_t i = first + 1; i < last; ++i) {
    if (flow.repeats(i)) loops.insert(flow.component[i]);
  }
  return loops;
}

}  // namespace

loop_code read_timed_loop(std::span<const instruction> kernel, bool with_lines) {
  loop_code found;
  const std::vector<instruction_class> classes = classes_of(kernel, machine::sass);
  std::vector<std::size_t> readings;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (reads_clock(kernel[i])) readings.push_back(i);
  }
  if (readings.size() < 2) {
    found.problem =
        fmt::format("it reads the clock {} times, not before and after a loop", readings.size());
    return found;
  }
  // A kernel may do all it does once for each of several pieces of work.
  const control_flow flow = find_control_flow(kernel, classes, readings);
  const std::set<std::size_t> loops = loops_between(flow, readings.front(), readings.back());
  found.has_loop = !loops.empty();
  if (flow.indirect) found.problem = "it holds an indirect jump";
  if (loops.empty()) found.problem = "there is no loop between the readings of the clock";
  if (loops.size() > 1) {
    found.problem =
        fmt::format("it holds {} separate loops between the readings of the clock", loops.size());
  }
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const bool repeats = loops.contains(flow.component[i]);
    // The gate before the clock and the reports behind it are not timed.
    if (!repeats && (i < readings.front() || i > readings.back())) continue;
    count(repeats ? found.inside : found.outside, classes[i]);
    if (repeats && classes[i].name != "nop") ++found.instructions;
  }
  if (with_lines) {
    found.lines = loop_text(kernel, classes, machine::sass,
                            [&](std::size_t i) { return loops.contains(flow.component[i]); });
  }
  for (const std::size_t i : flow.leaving) {
    if (loops.contains(flow.component[i])) found.problem = "it jumps out to another function";
  }
  return found;
}

}  // namespace syncmeter

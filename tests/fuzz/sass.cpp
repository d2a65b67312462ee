// What nvdisasm prints of a worker's kernels: read, and judged as the census does.
#include <algorithm>

#include "driver/census/isa/loop_code.hpp"
#include "driver/census/rule/worker_census.hpp"
#include "driver/census/tools/cuda_tools.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::fuzz {
namespace {

capability named(std::vector<std::string> symbols) {
  capability what;
  what.supported = true;
  what.symbols = std::move(symbols);
  what.declares = {{"sass", "RED.ADD 1 | ATOMG.ADD 1, branch 1"}};
  return what;
}

void judge_all(const std::vector<instruction>& body) {
  const std::vector<capability> asked{named({"k", "_Z1kv"}), named({"ns::a<1>", "ns::a<2>"})};
  const auto census =
      take_sass_census("it", {&asked[0], &asked[1]},
                       [&](const auto&, const kernel_names& names, const sass_sink& sink) {
                         for (const char* function : {"k", "_Z1kv", "_ZN2ns1aILi1EEEvv"}) {
                           const std::string name = names.wanted(function);
                           if (!name.empty()) sink("sm_90", name, body);
                         }
                       });
  promise(census.size() == asked.size(), "an entry is not judged");
  for (const census_entry& entry : census)
    promise(entry.verdict == verdict::proven || entry.verdict == verdict::elided ||
                !entry.reason.empty(),
            "a verdict without a reason");
}

}  // namespace

void sass(std::string_view input) {
  const auto lines = lines_of(input);
  std::vector<instruction> body;
  for (const std::string& line : lines) {
    if (auto one = parse_sass_instruction(line)) body.push_back(std::move(*one));
  }
  std::ranges::sort(body, {}, &instruction::address);
  const loop_code found = read_timed_loop(body, true);
  promise(found.instructions <= std::ssize(body), "the loop is longer than the kernel");
  promise(found.has_loop || !found.problem.empty(), "no loop, and no problem");
  promise(found.lines.size() <= body.size(), "more lines than instructions");
  judge_all(body);
}

}  // namespace syncmeter::fuzz

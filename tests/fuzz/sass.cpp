// What cuobjdump prints of a worker's kernels: read, and judged as the census does.
#include "driver/census/sass_census.hpp"
#include "driver/census/sass_loop.hpp"
#include "driver/census/sass_text.hpp"
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

void judge_all(const std::vector<std::string>& lines) {
  const std::vector<capability> asked{named({"k", "_Z1kv"}), named({"ns::a<1>", "ns::a<2>"})};
  const auto census = take_sass_census("it", {&asked[0], &asked[1]},
                                       [&](const auto&, const auto&, const line_sink& sink) {
                                         for (const std::string& line : lines) sink(line);
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
  std::size_t handed_over = 0;
  sass_reader reader(
      [&](std::string_view, std::string_view function, std::span<const instruction> body) {
        promise(!function.empty() && !body.empty(), "a kernel without a name or code");
        handed_over += body.size();
        const loop_code found = read_timed_loop(body);
        promise(found.instructions <= std::ssize(body), "the loop is longer than the kernel");
        promise(found.has_loop || !found.problem.empty(), "no loop, and no problem");
      });
  for (const std::string& line : lines) reader.add_line(line);
  reader.finish();
  promise(handed_over <= lines.size(), "more instructions than lines");
  judge_all(lines);
}

}  // namespace syncmeter::fuzz

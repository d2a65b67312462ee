// The words of a command line, one a line, the first of which is the command. Whatever `run` takes
// is written into a results file, and must be what --resume reads there.
#include <nlohmann/json.hpp>

#include "driver/commands/commands.hpp"
#include "driver/plan/options.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::fuzz {
namespace {

void check_run(const std::vector<std::string>& words) {
  const run_request request = parse_run(words);
  if (request.help) return;
  const nlohmann::json written = request.options;
  const auto read =
      nlohmann::json::parse(written.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
          .get<run_options>();
  nlohmann::json again = read, before = written;
  // Names may hold any bytes; a results file replaces what is not UTF-8.
  for (const char* const free : {"backends", "ops", "output", "resume", "csv", "topology"}) {
    again.erase(free);
    before.erase(free);
  }
  promise(again == before,
          "options read otherwise from the campaign line: " +
              written.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void command_lines(std::string_view input) {
  std::vector<std::string> words = lines_of(input);
  if (words.empty()) return;
  const std::string command = words.front();
  words.erase(words.begin());
  (void)ends_or_throws<usage_error>([&] {
    if (command == "show") (void)parse_show(words);
    else check_run(words);
  });
}

}  // namespace syncmeter::fuzz

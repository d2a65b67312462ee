#include "driver/commands/commands.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "driver/census/rule/worker_census.hpp"
#include "driver/explain/explain.hpp"
#include "driver/plan/offered_ops.hpp"
#include "driver/show/report_program.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

point_summary the_one(const std::vector<point_summary>& points, const std::string& words,
                      const std::string& file) {
  const std::vector<point_summary> found = points_that_fit(points, words);
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw usage_error(fmt::format("explain: no point of {} has all of the words {}",
                                  printable(file), quote(words)));
  constexpr std::size_t most_named = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most_named, found.size()); ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", canonical(found[i].what));
  throw usage_error(fmt::format("explain: {} points of {} have the words {}: {}{}", found.size(),
                                printable(file), quote(words), names,
                                found.size() > most_named ? ", ..." : ""));
}

std::vector<const visit_record*> visits_of(const results_file& file,
                                           const std::string& point_text) {
  std::vector<const visit_record*> visits;
  for (const visit_record& visit : file.visits) {
    if (canonical(visit.point) == point_text) visits.push_back(&visit);
  }
  return visits;
}

loops_of_point loops_of(const point& p, const std::vector<const visit_record*>& visits) {
  const std::string build = visits.empty() ? "" : visits.front()->build;
  for (const worker_info& worker : find_workers({})) {
    if (!worker.build.is_object() || text_in(worker.build, "id") != build || build.empty())
      continue;
    const capability* const what = entry_of(p, worker);
    if (what == nullptr) continue;
    std::vector<census_entry> entry = take_census(worker.path, {*what}, true);
    if (entry.empty() || entry.front().loops[1].lines.empty())
      return {.lines = {},
              .missing = entry.empty() ? "its loops have no names" : entry.front().reason};
    return {.lines = {entry.front().loops[0].lines, entry.front().loops[1].lines}, .missing = {}};
  }
  return {.lines = {},
          .missing = "The worker that was measured (build " + build +
                     ") is not here, so that its code cannot be shown."};
}

std::string explain_notes() {
  return "POINT is some values of its axes, in quotes, as many as it takes to mean one\n"
         "point of FILE: 'atomic_add shared lanes=2'. Where the worker that was measured\n"
         "is on this machine, the code of both loops is shown, with objdump or cuobjdump;\n"
         "where syncmeter-report is found, the claims that use the point come last.\n";
}

int explain_command(const std::vector<std::string>& arguments, std::FILE* out) {
  bool help = false;
  const std::vector<option_row> rows = help_alone(help);
  const std::vector<std::string> words = parse_command_line(arguments, rows, 2);
  if (help) {
    fmt::print(out, "Usage: syncmeter explain POINT FILE\n{}\n{}", explain_notes(),
               options_text(rows));
    return 0;
  }
  if (words.size() != 2)
    throw usage_error("explain: a point and a results file must be named, as in syncmeter explain "
                      "'atomic_add lanes=2' results.jsonl");
  const results_file file = read_results(words[1]);
  const point_summary s = the_one(summarize(file), words[0], words[1]);
  const std::vector<const visit_record*> visits =
      visits_of(file, s.measured_as.empty() ? canonical(s.what) : s.measured_as);
  const std::size_t width =
      std::clamp<std::size_t>(style_of(::fileno(out)).width, usual_width, 160);
  fmt::print(out, "{}", explain_text(s, visits, loops_of(s.what, visits), width));
  add_claims({.file = words[1], .point = canonical(s.what)}, out);
  return 0;
}

}  // namespace

command explain_row() {
  return {.name = "explain",
          .purpose = "all that is known of one point of a results file",
          .options = unread_rows(help_alone),
          .run = alone(explain_command),
          .word = "POINT FILE",
          .notes = explain_notes()};
}

}  // namespace syncmeter

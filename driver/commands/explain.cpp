#include "driver/commands/explain.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/census/rule/census_diff.hpp"
#include "driver/census/rule/worker_census.hpp"
#include "driver/commands/commands.hpp"
#include "driver/plan/offered_ops.hpp"
#include "driver/results/packed_results.hpp"
#include "driver/show/report_program.hpp"
#include "driver/show/table.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

using enum columns::align;

std::string with_interval(const interval& cost, const char* unit) {
  if (!std::isfinite(cost.low) || !std::isfinite(cost.high))
    return fmt::format("{} {}, without an interval", nanoseconds(cost.value), unit);
  return fmt::format("{} {} ({}..{})", nanoseconds(cost.value), unit, nanoseconds(cost.low),
                     nanoseconds(cost.high));
}

std::string cost_lines(const point_summary& s) {
  std::string text;
  if (has_cost(s)) {
    text += with_interval(s.cost_ns, "ns/op");
    if (has_cycles(s)) text += ", " + with_interval(s.cost_cycles, "cycles");
  } else if (has_upper_bound(s)) {
    text += fmt::format("at most {} ns/operation", upper_bound_ns(s.cost_ns.high));
  } else {
    text += "no cost";
  }
  text += fmt::format("; a step of the baseline {} ns, of the test {} ns",
                      nanoseconds(s.baseline_ns), nanoseconds(s.test_ns));
  std::string lines = wrapped(text + ".", 0, usual_width) + "\n";
  if (s.status != status::ok || !s.reason.empty())
    lines +=
        wrapped(fmt::format("{}{}{}", to_text(s.status), s.reason.empty() ? "" : ": ", s.reason), 0,
                usual_width) +
        "\n";
  return lines;
}

std::string states_text(const point_summary& s) {
  columns table(
      {{"state"}, {"repetitions", right}, {"ns/op", right}, {"from", right}, {"to", right}});
  const auto add = [&](const point_summary& one) {
    const bool bounded = std::isfinite(one.cost_ns.low) && std::isfinite(one.cost_ns.high);
    table.row({one.state_text.empty() ? "the only one" : one.state_text, fmt::to_string(one.visits),
               nanoseconds(one.cost_ns.value), bounded ? nanoseconds(one.cost_ns.low) : "",
               bounded ? nanoseconds(one.cost_ns.high) : ""});
  };
  add(s);
  std::ranges::for_each(s.other_states, add);
  return table.text();
}

/// Returns costs in ns: per round if the file keeps rounds, else per visit in its first state.
std::vector<double> costs_measured(const std::vector<const visit_record*>& visits,
                                   const point_summary& s, bool& of_rounds) {
  std::vector<double> costs;
  const op_facts facts = facts_of(s);
  const unsigned workers = facts.participants != 0 ? facts.participants : s.what.lanes;
  for (const visit_record* visit : visits) {
    const std::vector<double> rounds = round_costs_ns(*visit, workers);
    costs.insert(costs.end(), rounds.begin(), rounds.end());
  }
  of_rounds = !costs.empty();
  if (of_rounds) return costs;
  for (const visit_record* visit : visits)
    if (!visit->estimates.empty()) costs.push_back(visit->estimates.front().cost_ns.value);
  return costs;
}

// For fewer costs the table of visits suffices.
constexpr std::size_t enough_for_bars = 10;

std::string histogram(std::vector<double> costs) {
  constexpr std::size_t bins = 8, widest_bar = 40;
  std::ranges::sort(costs);
  const double low = costs.front(), high = costs.back();
  std::array<std::size_t, bins> counts{};
  for (const double cost : costs) {
    const double at = high > low ? (cost - low) / (high - low) * bins : 0;
    ++counts.at(std::min(bins - 1, static_cast<std::size_t>(at)));
  }
  const std::size_t most = *std::ranges::max_element(counts);
  columns table({{"ns/op", right}, {"", right}, {""}});
  for (std::size_t bin = 0; bin < bins; ++bin) {
    if (high <= low && bin > 0) break;
    const double from = low + (high - low) * static_cast<double>(bin) / bins;
    table.row({nanoseconds(from), fmt::to_string(counts[bin]),
               std::string((counts[bin] * widest_bar + most - 1) / most, '#')});
  }
  return table.text();
}

std::string visits_text(const std::vector<const visit_record*>& visits) {
  columns table({{"repetition", right},
                 {"status"},
                 {"ns/op", right},
                 {"disturbed"},
                 {"line ns", right},
                 {"pairs", right},
                 {"dropped"},
                 {"ms", right},
                 {"ended by"}});
  for (const visit_record* visit : visits) {
    const estimate_record first =
        visit->estimates.empty() ? estimate_record{} : visit->estimates.front();
    std::vector<std::string> dropped;
    for (const auto& [why, n] : visit->drops)
      if (n > 0) dropped.push_back(fmt::format("{} {}", n, why));
    table.row({fmt::to_string(visit->visit), std::string(to_text(visit->status)),
               visit->estimates.empty() ? "" : nanoseconds(first.cost_ns.value),
               first.busy ? "yes" : "", first.hop_ns > 0 ? fmt::format("{:.0f}", first.hop_ns) : "",
               fmt::to_string(visit->rounds_kept), fmt::format("{}", fmt::join(dropped, ", ")),
               fmt::format("{:.1f}", visit->elapsed_ns / 1e6), visit->stopped_by});
  }
  return table.text();
}

std::string time_text(const std::vector<const visit_record*>& visits) {
  double elapsed = 0, timed = 0;
  for (const visit_record* visit : visits) {
    elapsed += visit->elapsed_ns;
    timed += visit->timed_ns;
  }
  return fmt::format("{:.0f} ms in all, {:.0f} % of it inside timed loops and probes.\n",
                     elapsed / 1e6, elapsed > 0 ? 100 * timed / elapsed : 0);
}

/// Returns a loop as a column, and marks code that only the test loop has, or has more often.
std::vector<std::string> column_of(const std::vector<loop_line>& lines,
                                   const std::map<std::string, int>& marked) {
  std::vector<std::string> shapes, column;
  for (const loop_line& line : lines) shapes.push_back(line.shape);
  for (const repeated_code& piece : folded(shapes)) {
    for (std::size_t i = 0; i < piece.lines.size(); ++i) {
      const std::string times = i == 0 && piece.times > 1 ? fmt::format("{} x", piece.times) : "";
      column.push_back(fmt::format("{:>5} {} {}", times,
                                   marked.contains(piece.lines[i]) ? '>' : ' ', piece.lines[i]));
    }
  }
  return column;
}

std::string code_text(const loops_of_point& loops, std::size_t width) {
  if (!loops.missing.empty()) return wrapped(loops.missing, 0, width) + "\n";
  const loop_change change = compare_loops(loops.lines[0], loops.lines[1]);
  const std::vector<std::string> baseline = column_of(loops.lines[0], {}),
                                 test = column_of(loops.lines[1], change.came);
  const std::size_t half = (width - 2) / 2;
  std::string text = fmt::format("{:<{}}  {}\n", "baseline", half, "test");
  for (std::size_t i = 0; i < std::max(baseline.size(), test.size()); ++i) {
    const std::string left = i < baseline.size() ? baseline[i] : "",
                      right_side = i < test.size() ? test[i] : "";
    std::string line = fmt::format("{:<{}.{}}  {:.{}}", left, half, half, right_side, half);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  std::string measured;
  for (const auto& [shape, count] : change.came)
    measured += fmt::format("{}{} {}", measured.empty() ? "" : ", ", count, shape);
  return text +
         (measured.empty()
              ? "Both loops are of the same instructions.\n"
              : wrapped(fmt::format("More in the test loop (>): {}.", measured), 0, width) + "\n");
}

// Longer repeated steps are not recognized.
constexpr std::size_t longest_step = 64;

std::size_t times_repeated(std::span<const std::string> lines, std::size_t length) {
  const auto step = lines.first(length);
  std::size_t times = 1;
  while ((times + 1) * length <= lines.size() &&
         std::ranges::equal(step, lines.subspan(times * length, length)))
    ++times;
  return times;
}

point_summary the_one(const std::vector<point_summary>& points, const std::string& words,
                      const std::string& file) {
  const std::vector<point_summary> found = points_that_fit(points, words);
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw usage_error(
        fmt::format("explain: no configuration of {} has all of the words {}; syncmeter show "
                    "FILE --points has those of every configuration",
                    printable(file), quote(words)));
  constexpr std::size_t most_named = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most_named, found.size()); ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", canonical(found[i].what));
  throw usage_error(
      fmt::format("explain: {} configurations of {} have the words {}: {}{}; add words that "
                  "only one of them has",
                  found.size(), printable(file), quote(words), names,
                  found.size() > most_named ? ", ..." : ""));
}

std::vector<const visit_record*> visits_of(const results_file& file,
                                           const std::string& point_text) {
  std::vector<const visit_record*> visits;
  for (const visit_record& visit : file.visits)
    if (canonical(visit.point) == point_text) visits.push_back(&visit);
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
  return "POINT names one configuration of FILE by some of its values, in quotes:\n"
         "'atomic_add shared lanes=2'. If the measured worker is on this machine, the code\n"
         "of both loops is shown, with objdump or cuobjdump. If the report is installed,\n"
         "the claims that use the configuration come last.\n";
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
    throw usage_error(
        "explain: a configuration and a results file must be named, as in syncmeter explain "
        "'atomic_add lanes=2' results.jsonl");
  const results_file file = read_results_to_show(words[1]);
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

std::vector<point_summary> points_that_fit(const std::vector<point_summary>& points,
                                           const std::string& words) {
  std::vector<point_summary> found;
  for (const point_summary& s : points) {
    std::vector<std::string> values;
    std::istringstream axes(canonical(s.what));
    for (std::string axis; axes >> axis;) values.push_back(axis);
    std::istringstream asked(words);
    bool fits = true;
    for (std::string word; asked >> word;) {
      fits = fits && std::ranges::any_of(values, [&](const std::string& value) {
               return value == word || value.substr(value.find('=') + 1) == word;
             });
    }
    if (fits) found.push_back(s);
  }
  return found;
}

std::string explain_text(const point_summary& s, const std::vector<const visit_record*>& visits,
                         const loops_of_point& loops, std::size_t width) {
  std::string text = wrapped(canonical(s.what), 0, width) + "\n" + cost_lines(s);
  if (!s.measured_as.empty())
    text +=
        wrapped("Its code is that of " + s.measured_as + ", which was measured.", 0, width) + "\n";
  if (!visits.empty()) {
    text += "\nStates\n" + states_text(s);
    bool of_rounds = false;
    const std::vector<double> costs = costs_measured(visits, s, of_rounds);
    if (costs.size() >= enough_for_bars)
      text += fmt::format("\n{}\n{}", of_rounds ? "Rounds" : "Visits' medians", histogram(costs));
    text += "\nVisits\n" + visits_text(visits) + time_text(visits);
  }
  return printable(text + "\nCode\n" + code_text(loops, width), true);
}

std::vector<repeated_code> folded(std::span<const std::string> lines) {
  std::vector<repeated_code> code;
  bool alone = false;  // whether the last piece takes further lines
  while (!lines.empty()) {
    std::size_t length = 1, times = 1;
    for (std::size_t l = 1; l <= std::min(longest_step, lines.size() / 2); ++l) {
      const std::size_t t = times_repeated(lines, l);
      if (t > 1 && (t - 1) * l > (times - 1) * length) length = l, times = t;
    }
    const auto piece = lines.first(length);
    if (times > 1 || !alone) code.push_back({times, {piece.begin(), piece.end()}});
    else code.back().lines.push_back(piece.front());
    alone = times == 1;
    lines = lines.subspan(length * times);
  }
  return code;
}

command explain_row() {
  return {.name = "explain",
          .purpose = "prints all figures of one configuration in a results file",
          .options = unread_rows(help_alone),
          .run = alone(explain_command),
          .word = "POINT FILE",
          .notes = explain_notes()};
}

}  // namespace syncmeter

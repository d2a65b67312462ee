#include "driver/advise/grade.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "driver/advise/settings_to_try.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// More CPU time of others changes wall times by as much: digits would be noise.
constexpr double most_load = 0.10;
/// Plain runs that differ by more have no typical time.
constexpr double most_spread = 1.5;
/// A smaller possible loss is not worth a warning.
constexpr double least_loss = 0.05;

struct grade_row {
  std::string_view name, meaning;
};
constexpr std::array<grade_row, 4> rows{{
    {"predicted", "computed from what the same calls cost on this machine."},
    {"bound", "the program cannot get faster than this by the change; it may gain less."},
    {"rough", ""},
    {"unknown", "the place and the counts are exact, the gain is not known."},
}};

double greatest(const std::vector<program_run>& runs, std::optional<double> program_run::* share) {
  double most = 0;
  for (const program_run& run : runs)
    if (run.arm == "plain" || run.arm == "time") most = std::max(most, (run.*share).value_or(0));
  return most;
}

}  // namespace

std::string_view name_of(grade of) { return rows[static_cast<std::size_t>(of)].name; }

std::string why_rough(const program_counts& of) {
  if (const double load = used_by_others_while_timed(of); load > most_load)
    return fmt::format("other programs used {:.0f} % of the CPUs", 100 * load);
  if (const double stolen = greatest(of.runs, &program_run::stolen_cpu_share); stolen > most_load)
    return fmt::format("the hypervisor took {:.0f} % of the CPU time", 100 * stolen);
  const interval plain = plain_wall_s(of.runs);
  if (plain.low > 0 && plain.high > most_spread * plain.low)
    return fmt::format("runs of the program took {}", range_text(plain.low, plain.high));
  return "";
}

grade grade_of(const advice& each, const program_counts& of) {
  if (!why_rough(of).empty()) return grade::rough;
  if (counts_stand_alone(of) && !each.of_plain_runs) return grade::undetermined;
  const bool has_least = each.at_least_s >= least_worth_saying * each.run_s;
  if (each.is_bound_by_run() && !has_least) return grade::undetermined;
  return has_least ? grade::predicted : grade::bound;
}

std::string expected_text(const advice& each, grade of) {
  if (of == grade::rough || of == grade::undetermined || each.run_s <= 0) return "";
  const std::string before = seconds_text(each.run_s);
  const double best_s = std::max(0.0, each.run_s - each.at_most_s);
  std::string after;
  if (of == grade::bound) after = "at best " + seconds_text(best_s);
  else if (each.is_bound_by_run()) after = "at most " + seconds_text(each.run_s - each.at_least_s);
  else after = range_text(best_s, each.run_s - each.at_least_s);
  const bool may_lose = each.kind == "may_cost" && each.share_of_run() >= least_loss;
  return fmt::format("{} -> {}{}", before, after, may_lose ? ", or longer" : "");
}

std::vector<std::string> legend_of(const program_counts& of) {
  std::vector<grade> used;
  for (const advice& each : of.advices) add_once(used, grade_of(each, of));
  std::ranges::sort(used);
  std::vector<std::string> lines;
  for (const grade each : used)
    lines.push_back(fmt::format(
        "{}: {}", name_of(each),
        each == grade::rough ? why_rough(of) + "; the order is known, the gain has no digits."
                             : std::string(rows[static_cast<std::size_t>(each)].meaning)));
  return lines;
}

std::string reliability_text(const program_counts& of) {
  const std::string rough = why_rough(of);
  const auto cost = cost_of_counting(of.runs);
  std::string text = !rough.empty() || !cost  ? "poor"
                     : counts_stand_alone(of) ? "moderate"
                     : cost->pairs < 3        ? "moderate"
                                              : "good";
  if (!rough.empty()) text += fmt::format(": {}", rough);
  if (!cost) return text + ": the program ran once.";
  if (cost->ratio > 1)
    text += fmt::format("{} Counting slowed the program by {:.2g} %", rough.empty() ? "." : ";",
                        100 * (cost->ratio - 1));
  else text += fmt::format("{} Counting did not slow the program", rough.empty() ? "." : ";");
  return text + fmt::format(" ({}).", count_text(cost->pairs, "pair of runs", "pairs of runs"));
}

std::string next_text(const program_counts& of) {
  if (!why_rough(of).empty()) return "run it again while the machine is idle";
  if (!settings_to_try(of, facts_of_trials(of)).empty())
    return fmt::format("syncmeter advise --try -- {}", printable(of.command.front()));
  return of.advices.empty() ? "" : "make the change, then run this command again";
}

}  // namespace syncmeter

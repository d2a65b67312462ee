#include "driver/advise/trials.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/advise/source_lines.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// What all advice that a trial is for may save: to wait in another way saves less than not to
/// wait.
std::string saving_text(const program_counts& of, const setting_to_try& what) {
  const advice& first = of.advices[what.rank - 1];
  if (is_withheld(first, of)) return "no saving is named";
  // Some seconds are of the longest run as it is.
  double wall_s = first.run_s;
  double most_s = first.at_most_s;
  for (const std::size_t rank : what.more_ranks) {
    const advice& more = of.advices[rank - 1];
    wall_s = std::max(wall_s, more.run_s);
    most_s += more.at_most_s;
  }
  return fmt::format("saves at most {} of {}", seconds_text(std::min(most_s, wall_s)),
                     seconds_text(wall_s));
}

/// "advice 1 and 3, sleeping: saves at most 1 s of 2 s" or "the mutex of main.cpp:9".
std::string purpose_text(const program_counts& of, const setting_to_try& what) {
  if (what.lock > 0) {
    const std::size_t id = of.objects[what.lock - 1].ids.front();
    return "the mutex of " + where_text(of.of_last_run.sites[id - 1]);
  }
  std::string ranks = std::to_string(what.rank);
  for (std::size_t i = 0; i < what.more_ranks.size(); ++i)
    ranks +=
        fmt::format("{}{}", i + 1 == what.more_ranks.size() ? " and " : ", ", what.more_ranks[i]);
  return fmt::format("advice {}, {}: {}", ranks, of.advices[what.rank - 1].rule,
                     saving_text(of, what));
}

std::string judgement_text(const program_comparison& found, const program_pairs_options& options) {
  const std::string change = change_text(found.ratio, options.metric ? "" : " time") + " in " +
                             count_text(found.pairs(), "pair of runs", "pairs of runs");
  switch (found.verdict) {
  case program_verdict::faster:
    return change + ": better.";
  case program_verdict::slower:
    return change + ": do not.";
  case program_verdict::same:
    return fmt::format("the same within {:.3g} %.", options.threshold * 100);
  default: {
    const std::string why = why_undecided(found);
    return why.empty() ? change + ": undecided." : "undecided: " + why + ".";
  }
  }
}

std::string outcome_text(const program_comparison& found, const program_pairs_options& options) {
  if (found.verdict == program_verdict::refused) return "refused: " + found.refusal;
  const std::string others = other_outputs_text(found, "the program as it is", "The changed one");
  return judgement_text(found, options) + (others.empty() ? "" : " " + others);
}

}  // namespace

void leave_out_beyond_budget(std::vector<setting_to_try>& settings, double run_s, double budget_s) {
  const double each_s = static_cast<double>(runs_until_first_look) * run_s;
  const double room = std::floor(budget_s / each_s);
  const auto wanted =
      static_cast<std::size_t>(std::ranges::count(settings, "", &setting_to_try::left_out));
  double tried = 0;
  for (setting_to_try& each : settings)
    if (each.left_out.empty() && ++tried > room)
      each.left_out =
          fmt::format("A trial takes {} runs of {}, and --budget has room for {}; --budget {:.0f}s "
                      "has room for {}.",
                      runs_until_first_look, seconds_text(run_s),
                      room == 0 ? "none" : fmt::format("{:.0f} of {}", room, wanted),
                      std::ceil(each_s * static_cast<double>(wanted)), wanted == 1 ? "it" : "all");
}

std::vector<trial> try_settings(const program_counts& counted, std::vector<setting_to_try> settings,
                                program_pairs_options options) {
  const double run_s = plain_wall_s(counted.runs).value;
  if (run_s > 0) leave_out_beyond_budget(settings, run_s, options.budget_s);
  std::vector<trial> trials;
  double left_s = options.budget_s;
  auto to_try =
      static_cast<std::size_t>(std::ranges::count(settings, "", &setting_to_try::left_out));
  options.comparisons = std::max<std::size_t>(1, to_try);
  bool goes_on = true;
  for (const setting_to_try& each : settings) {
    if (!each.left_out.empty()) {
      trials.push_back({each, {.verdict = program_verdict::refused, .refusal = each.left_out}});
      continue;
    }
    if (!goes_on) continue;
    if (left_s <= 0) {
      setting_to_try late = each;
      late.left_out = "The trials before it took all of --budget.";
      trials.push_back({late, {.verdict = program_verdict::refused, .refusal = late.left_out}});
      continue;
    }
    const program_arm plain{
        .name = "the program as it is", .path = counted.file.path, .words = counted.command};
    const program_arm changed{.name = "with " + each.text() + " it",
                              .path = counted.file.path,
                              .words = counted.command,
                              .settings = each.settings};
    options.budget_s = left_s / static_cast<double>(to_try--);
    print_message(fmt::format("trying {}: up to {:.0f} s", each.text(), options.budget_s));
    trials.push_back({each, compare_programs({plain, changed}, options)});
    const program_comparison& found = trials.back().found;
    left_s -= found.used_s;
    // Where the program itself cannot be compared, it cannot with another setting either.
    goes_on = found.interrupted_by == 0 &&
              (found.verdict != program_verdict::refused || found.broken_in_b);
  }
  return trials;
}

void note_trials(std::vector<advice>& advices, const std::vector<trial>& trials,
                 const program_pairs_options& options) {
  if (options.metric) return;
  for (const trial& each : trials) {
    const program_comparison& found = each.found;
    if (found.verdict == program_verdict::refused || found.pairs() == 0 || found.other_outputs > 0)
      continue;
    std::vector<double> plain_s;
    for (const program_pair_run& run : found.runs[0]) plain_s.push_back(run.wall_s);
    const double run_s = median(plain_s);
    const tried_saving saved{.low_s = run_s * (1 - found.ratio.high),
                             .high_s = run_s * (1 - found.ratio.low),
                             .is_shown = found.verdict == program_verdict::faster};
    if (each.what.rank == 0) continue;
    std::optional<tried_saving>& best = advices[each.what.rank - 1].tried;
    if (!best || std::pair(saved.is_shown, saved.low_s) > std::pair(best->is_shown, best->low_s))
      best = saved;
  }
}

std::string trials_text(const program_counts& counted, const std::vector<trial>& trials,
                        const program_pairs_options& options, std::size_t width) {
  if (trials.empty())
    return wrapped("Nothing was tried: there is no advice that a setting, another lock or another "
                   "barrier can follow.",
                   0, width) +
           "\n";
  std::string text = "Tried, each in turn with the program as it is:\n";
  for (const trial& each : trials) {
    const std::string outcome = each.what.left_out.empty()
                                    ? "Measured: " + outcome_text(each.found, options)
                                    : "Not tried: " + each.what.left_out;
    text += "- " +
            wrapped(printable(fmt::format("{}, for {}. {}", each.what.text(),
                                          purpose_text(counted, each.what), outcome)),
                    2, width) +
            "\n";
  }
  return text;
}

std::vector<nlohmann::json> trial_lines(const std::vector<trial>& trials) {
  std::vector<nlohmann::json> lines;
  for (const trial& each : trials) {
    const program_comparison& found = each.found;
    const bool is_for_lock = each.what.lock > 0;
    nlohmann::json line{
        {"record", "trial"},
        {is_for_lock ? "lock" : "advice", is_for_lock ? each.what.lock : each.what.rank},
        {"settings", each.what.settings},
        {"verdict", name_of_verdict(found.verdict)},
        {"pairs", found.pairs()},
        {"refusal", nullptr}};
    if (found.verdict == program_verdict::refused) line["refusal"] = printable(found.refusal);
    else
      line["ratio"] = {
          {"value", found.ratio.value}, {"low", found.ratio.low}, {"high", found.ratio.high}};
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace syncmeter
